/** What a uid of agents has to be, for whoever gave another one; the turn program takes no other either. */
export const agentUidRule =
  'must be the number of a user other than root: a whole number from 1 to 999999999';

export function isAgentUid(uid: number): boolean {
  return Number.isInteger(uid) && uid >= 1 && uid <= 999_999_999;
}
