import type { Instant, TurnId } from '../core/issue.ts';
import type { PullRequest, WantedPullRequest } from '../core/pull-request.ts';
import type { TrackerQuota } from '../core/tracker-quota.ts';

// The ports on which others meet a deployment: what a tracker delivers, what asks for a tick, and what a turn and its agent
// may use elsewhere.

/** Asks for an early tick. Losing the request costs at most one interval. */
export interface TickTrigger {
  requestTick(): Promise<void>;
}

/**
 * What a delivery is. `hint`: authentic, and it may concern a board. `irrelevant`: authentic, and it concerns none. `forged`:
 * not signed with a secret of ours. `unjudged`: the secret could not be read, so that nobody knows.
 */
export type Delivery = 'hint' | 'irrelevant' | 'forged' | 'unjudged';

/** One tracker's deliveries. */
export interface WebhookSource {
  /**
   * Judges over the raw bytes, before anything of them is parsed. Header names are lower-cased. No delivery makes it fail,
   * whatever it says.
   */
  judge(headers: Readonly<Record<string, string>>, body: Uint8Array): Promise<Delivery>;
}

/** What git answers a code host that asks who is there. */
export interface GitToken {
  readonly username: string;
  readonly password: string;
  /** Undefined where nobody knows when it ends. */
  readonly expiresAt: Instant | undefined;
  /** Where a DELETE with the token as bearer ends it early; undefined for one that others use too. */
  readonly revokeUrl: string | undefined;
}

/** Makes the access that a running turn has to its repository. */
export interface GitTokens {
  /**
   * A token for this repository and no other: contents and pull requests, never issues, never workflows. `none` where the
   * deployment has none for it, and the turn uses what its machine has. Throws when it is not
   * known now, with a message for people that shows no secret.
   */
  mint(repository: string): Promise<GitToken | 'none'>;
}

/** Where one bundle of commits may be left. */
export interface WorkPlace {
  /** Takes one PUT of exactly as many bytes as were asked for, for a few minutes, and gives nothing out. */
  readonly uploadUrl: string;
  /** By what name people find it afterwards. */
  readonly address: string;
}

/** Keeps commits that could be put on no branch, for turns whose own folder ends with them. */
export interface WorkStore {
  /**
   * A place for the bundle of this turn, of so many bytes; asked again, it is the same place. `none` where turns keep their
   * folders. Throws when it is not known now.
   */
  offer(turnId: TurnId, bytes: number): Promise<WorkPlace | 'none'>;
}

/** What a deployment has for its agents and for nobody else. */
export interface AgentKeys {
  /**
   * Variables for the environment of an agent, such as the key of its model; none where the agent's machine has what it
   * needs. Throws when they are not known now.
   */
  read(): Promise<Readonly<Record<string, string>>>;
}

/** The pull requests of the branches that turns push to. */
export interface PullRequests {
  /** What its calls have taken, as of a tracker's. Makes no call. */
  quota(): TrackerQuota | undefined;
  /**
   * Opens the one of this branch, or rewrites our block in the one that is open. A branch has one: where there is one that
   * was merged or closed, nothing is written. `none` where there can be none: the repository is at no code host that the
   * deployment reaches so, or the branch holds nothing that its base does not. Repeating it opens no second one. Throws
   * when it is not known whether it was done.
   */
  put(repository: string, wanted: WantedPullRequest): Promise<PullRequest | 'none'>;
  /**
   * Those of these branches whose pull request was merged into `base`, with all that the branch holds now, and when: the
   * last time, by the code host's clock. An empty input makes no call. Throws when that cannot be told of each.
   */
  merged(
    repository: string,
    base: string,
    branches: readonly string[],
  ): Promise<ReadonlyMap<string, Instant>>;
}

/** What turns, their agents and their work may use elsewhere. */
export interface TurnAccess {
  readonly gitTokens: GitTokens;
  readonly pullRequests: PullRequests;
  readonly workStore: WorkStore;
  readonly agentKeys: AgentKeys;
}
