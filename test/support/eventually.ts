/** Asks again until the answer holds, or fails after the deadline with the last answer seen. */
export async function eventually<Answer>(
  ask: () => Promise<Answer> | Answer,
  holds: (answer: Answer) => boolean,
  deadlineMs = 20_000,
): Promise<Answer> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    if (Date.now() > deadline)
      throw new Error(`this did not become true: ${holds}; last seen: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
