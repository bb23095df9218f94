import type { TurnAccess } from '../../lib/controller/ports.ts';

/** A deployment that has nothing for its turns: they and their agents use what their machine has. */
export const noAccess: TurnAccess = {
  gitTokens: { mint: async () => 'none' },
  pullRequests: { quota: () => undefined, put: async () => 'none', merged: async () => new Map() },
  workStore: { offer: async () => 'none' },
  agentKeys: { read: async () => ({}) },
};
