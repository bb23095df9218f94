/**
 * `Promise.all` that also waits for the others when one fails: a call still under way when its handler ends would be
 * answered in a later invocation, or never. Throws the first failure, by position.
 */
export async function waitForAll<const Calls extends readonly unknown[]>(
  calls: Calls,
): Promise<{ -readonly [At in keyof Calls]: Awaited<Calls[At]> }> {
  const ended = await Promise.allSettled(calls);
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return ended.map((one) => (one as PromiseFulfilledResult<unknown>).value) as never;
}
