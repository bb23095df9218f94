/** Sets something invisible into addresses of issues, pull requests and commits: a code host links back from each. */
export function unlinkAddresses(text: string): string {
  return text.replace(/\/(?=(?:issues|pull|discussions|commit)\/\w)/gi, '/\u200b');
}
