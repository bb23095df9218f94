/** One line for people and machines; never a secret, never the prompt, never output of the agent. */
export type TurnLog = (
  message: string,
  facts?: Readonly<Record<string, string | number | boolean | undefined>>,
) => void;

/** Writes JSON lines to standard output. Whoever read them may be gone: a line that cannot be written is lost. */
export function turnLog(turnId: string): TurnLog {
  process.stdout.on('error', () => undefined);
  return (message, facts = {}) => {
    const time = new Date().toISOString();
    process.stdout.write(`${JSON.stringify({ time, turnId, message, ...facts })}\n`);
  };
}
