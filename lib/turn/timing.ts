/** How patient the turn program is, in milliseconds. What the policy bounds comes with the instructions instead. */
export interface Timing {
  /** How long `start` is repeated without an answer before the program ends without having begun. */
  readonly startPatienceMs: number;
  /** How long the agent works on without a *go*; after that the turn stops by itself. */
  readonly silencePatienceMs: number;
  /** How long the result is repeated until it is answered. */
  readonly resultPatienceMs: number;
  readonly callTimeoutMs: number;
  /** From being told to stop to having ended, all included. */
  readonly stopBudgetMs: number;
  /** From asking processes to end to ending them. */
  readonly killGraceMs: number;
  readonly fetchMs: number;
  /** How long a transfer is repeated that met trouble on the way. */
  readonly transferPatienceMs: number;
  readonly pushMs: number;
  /** For each git command that contacts nobody. */
  readonly gitMs: number;
  /** For each gate. */
  readonly gateMs: number;
  /** How far past the turn's own time the gates may run, all together. */
  readonly gatesMs: number;
  /** The pause before the second try of a call or a transfer; it doubles from try to try. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

export const timing: Timing = {
  startPatienceMs: 120_000,
  silencePatienceMs: 900_000,
  resultPatienceMs: 900_000,
  callTimeoutMs: 10_000,
  stopBudgetMs: 20_000,
  killGraceMs: 5_000,
  fetchMs: 600_000,
  transferPatienceMs: 6_000,
  pushMs: 180_000,
  gitMs: 120_000,
  gateMs: 900_000,
  // What was made in time must also be delivered before the tick asks for a stop.
  gatesMs: 450_000,
  firstPauseMs: 250,
  longestPauseMs: 5_000,
};
