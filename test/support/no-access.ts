import type { Ports } from '../../lib/controller/ports.ts';

/** A deployment that has nothing for its turns: they and their agents use what their machine has. */
export const noAccess: Pick<Ports, 'gitTokens' | 'agentKeys'> = {
  gitTokens: { mint: async () => 'none' },
  agentKeys: { read: async () => ({}) },
};
