/** Why no answer came from this address, in words for people, with the error's own code and what to look at. */
export function describeSilence(error: unknown, url: string, timeoutMs: number): string {
  const { host } = new URL(url);
  const code = codeOf(error);
  const shown = code === undefined ? '' : ` (${code})`;
  return `${reasonOf(error, code, host, timeoutMs)}${shown}; ${whereToLook(url)}`;
}

/** What may be wrong on the way to this address. */
export function whereToLook(url: string): string {
  return isVendors(url) ? 'look at the network' : 'look at the network, and at tracker.endpoint';
}

/** Every other address stands in a workflow file. */
export function isVendors(url: string): boolean {
  return new URL(url).host === 'api.github.com';
}

export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

/** What the codes of https://nodejs.org/api/errors.html and of TLS mean to who reads them. */
const reasons: readonly (readonly [RegExp, (host: string) => string])[] = [
  [/^(ENOTFOUND|EAI_AGAIN)$/, (host) => `the name ${host} could not be looked up`],
  [/^ECONNREFUSED$/, (host) => `${host} refused the connection`],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, (host) => `the connection to ${host} was cut`],
  [/^(ETIMEDOUT|UND_ERR_\w+_TIMEOUT)$/, (host) => `${host} did not answer in time`],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, (host) => `there is no way to ${host}`],
  [/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/, (host) => `no secure connection to ${host}`],
];

function reasonOf(error: unknown, code: string | undefined, host: string, timeoutMs: number): string {
  if (isTimeout(error)) return `${host} took longer than ${timeoutMs / 1_000} s`;
  const known = reasons.find(([pattern]) => code !== undefined && pattern.test(code));
  return known?.[1](host) ?? `${host} could not be asked`;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || isTimeout(error)) return undefined;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.name;
  return (cause as NodeJS.ErrnoException).code ?? cause.message.slice(0, 60);
}
