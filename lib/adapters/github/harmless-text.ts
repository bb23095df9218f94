/** The vendor takes no longer body, of a comment or of a pull request. */
export const longestBody = 65_536;

const cutNote = '\n\n(The text is longer; it was cut here.)\n';

/** The text, or as much of it as there is room for, with a word about the rest. */
export function fitText(text: string, room: number): string {
  return text.length <= room ? text : cutAt(text, room - cutNote.length) + cutNote;
}

/** The first characters of a text, none of them by half. */
export function cutAt(text: string, length: number): string {
  return text.slice(0, Math.max(0, length)).replace(/[\uD800-\uDBFF]$/, '');
}

/** Sets something invisible into mentions and references: they would notify people, and link or close issues. */
export function makeHarmless(text: string): string {
  return text
    .replace(/@(?=[A-Za-z0-9_])/g, '@\u200b')
    .replace(/#(?=\d)/g, '#\u200b')
    .replace(/\bGH-(?=\d)/gi, (found) => `${found}\u200b`)
    .replace(/\b(close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?=:?\s+(?:https?:|[\w.-]+\/[\w.-]+#))/gi, '$1\u200b');
}
