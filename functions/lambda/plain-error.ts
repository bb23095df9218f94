/**
 * What a failure says, without what it carries: our logger and the platform both write out every property of an error, and
 * among them may be issues, requests with their headers, and stored items.
 */
export function plainError(thrown: unknown): Error {
  if (!(thrown instanceof Error)) return new Error('something was thrown that is no error');
  const { name, message, stack, cause } = thrown;
  const plain = new Error(message, cause instanceof Error ? { cause: plainError(cause) } : {});
  for (const [key, value] of Object.entries({ name, stack }))
    Object.defineProperty(plain, key, { value, configurable: true, writable: true });
  return plain;
}
