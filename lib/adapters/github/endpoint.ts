/** Where GraphQL and REST are served; neither ends with a slash. */
export interface Endpoint {
  readonly graphql: string;
  readonly rest: string;
}

/**
 * The addresses of an API by its base: `https://api.github.com` (the default) and `https://api.NAME.ghe.com` serve REST at
 * their root, an Enterprise server serves both below `/api`. An address that ends in `/v3` or `/graphql` means its base.
 */
export function endpointOf(base: string | undefined): Endpoint {
  const root = (base ?? 'https://api.github.com').replace(/\/+$/, '').replace(/\/(v3|graphql)$/, '');
  return {
    graphql: `${root}/graphql`,
    rest: new URL(root).hostname.startsWith('api.') ? root : `${root}/v3`,
  };
}

/** The host that serves repositories, by the same base. */
export function codeHostOf(base: string | undefined): string {
  return base === undefined ? 'github.com' : new URL(base).host.replace(/^api\./, '');
}

/** Whether a repository is named `owner/repo`, by its place at the tracker's own host. */
export function isHostedName(repository: string): boolean {
  return /^[\w.-]+\/[\w.-]+$/.test(repository);
}

/** The address at a code host of what a workflow file calls `owner/repo`. */
export function hostedAddress(codeHost: string, name: string): string {
  return `https://${codeHost}/${name.replace(/\.git$/, '')}.git`;
}

/** Whether a token would travel in the clear. */
export function isInsecure(base: string | undefined): boolean {
  if (base === undefined) return false;
  const { protocol, hostname } = new URL(base);
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
