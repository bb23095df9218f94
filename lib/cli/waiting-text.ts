/** Why something waits, what ends the wait, and what a person can do about it, as one sentence. */
export function describeWait(detail: string, due: string, remedy: string | undefined): string {
  if (due === '' && remedy === undefined) return detail;
  const rest = remedy === undefined ? '' : `; to resume: ${remedy}`;
  return `${detail.replace(/\.$/, '')}${due}${rest}`;
}
