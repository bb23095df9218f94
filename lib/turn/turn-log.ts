/** One line for people and machines; never a secret, never the prompt, never output of the agent. */
export type TurnLog = (
  message: string,
  facts?: Readonly<Record<string, string | number | boolean | undefined>>,
) => void;

/** One line that a program of the turn printed, and the log that it belongs to. */
export type OutputLog = (log: string, line: string) => void;

/** Writes JSON lines to standard output. Whoever read them may be gone: a line that cannot be written is lost. */
export function turnLog(turnId: string): TurnLog {
  process.stdout.on('error', () => undefined);
  return (message, facts = {}) => {
    const time = new Date().toISOString();
    process.stdout.write(`${JSON.stringify({ time, turnId, message, ...facts })}\n`);
  };
}

/** Writes them among the steps, told apart by their fields. */
export function outputLog(turnId: string): OutputLog {
  return (log, line) => {
    const time = new Date().toISOString();
    process.stdout.write(`${JSON.stringify({ time, turnId, log, line })}\n`);
  };
}
