// Invokes the handler of a bundle as the platform does, once for each event, and prints what it answered as last lines.
// It does not exit by itself: a process that does not end was left with something pending.
const [bundle, ...events] = process.argv.slice(2);
const { handler } = await import(bundle);
const began = Date.now();
const context = {
  functionName: 'test',
  awsRequestId: 'request',
  getRemainingTimeInMillis: () => Number(process.env.TEST_TIMEOUT_MS ?? 50_000) - (Date.now() - began),
};
for (const event of events) {
  const answered = await handler(JSON.parse(event), context).then(
    (answer) => ({ answer }),
    (error) => {
      // The platform logs whatever a failure carries, beside what it says.
      const told = { errorType: error.name, errorMessage: error.message, ...error, stack: error.stack };
      process.stdout.write(`${JSON.stringify(told)}\n`);
      return { error: error.message };
    },
  );
  process.stdout.write(`answered ${JSON.stringify(answered)}\n`);
}
