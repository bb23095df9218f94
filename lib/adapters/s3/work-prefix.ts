/** Where bundles lie in their bucket: what the turn API may write, and nothing else. */
export const workPrefix = 'turns/';
