/** A token, and another one where the vendor no longer takes it. */
export interface Credential {
  token(): Promise<string>;
  /** A newer token than the one that was refused, or undefined when there is none. */
  renew(refused: string): Promise<string | undefined>;
}

/** A personal token, read anew when the vendor refuses the one that is in use. */
export function personalToken(read: () => string | undefined): Credential {
  let token = (read() ?? '').trim();
  return {
    token: async () => token,
    renew: async (refused) => {
      token = (read() ?? '').trim();
      return token === refused ? undefined : token;
    },
  };
}
