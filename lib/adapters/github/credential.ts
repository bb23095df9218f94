/** A token, and another one where the vendor no longer takes it. */
export interface Credential {
  token(): Promise<string>;
  /** A newer token than the one that was refused, or undefined when there is none. */
  renew(refused: string): Promise<string | undefined>;
}

/** A personal token, read anew when the vendor refuses the one that is in use. */
export function personalToken(
  read: (renewed?: 'renewed') => string | undefined | Promise<string | undefined>,
): Credential {
  let token: string | undefined;
  return {
    token: async () => {
      token ??= ((await read()) ?? '').trim();
      return token;
    },
    renew: async (refused) => {
      token = ((await read('renewed')) ?? '').trim();
      return token === refused ? undefined : token;
    },
  };
}
