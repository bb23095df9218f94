/** The part of a page that a command writes: between its two marks. */
export function sectionOf(page: string, command: string): string {
  return cut(page, command).section;
}

/** The page with another text in the part that the command writes. */
export function withSection(page: string, command: string, text: string): string {
  const { before, after } = cut(page, command);
  return `${before}\n\n${text}\n\n${after}`;
}

function cut(page: string, command: string) {
  const begin = `<!-- Written by \`${command}\`. -->`;
  const end = '<!-- The end of what it writes. -->';
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`the page has no part that begins with: ${begin}`);
  const start = from + begin.length;
  return { before: page.slice(0, start), section: page.slice(start, to), after: page.slice(to) };
}
