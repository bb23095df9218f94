// A host of its own, to be killed: launches the turn that its argument describes, prints the arn, and stays.
import { type LocalProcessOptions, localProcess } from '../../lib/adapters/local-process/local-process.ts';
import type { LaunchRequest } from '../../lib/controller/ports.ts';

const { options, request } = JSON.parse(process.argv[2] ?? '') as {
  options: LocalProcessOptions;
  request: LaunchRequest;
};
const clock = { now: () => Date.now(), sleep: async () => {} };
console.log(JSON.stringify(await localProcess({ ...options, clock }).launch(request)));
setInterval(() => {}, 60_000);
