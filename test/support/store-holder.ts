// A process that holds the embedded store of a folder. It prints `open`, and then, for each lease it was answered `done`
// for, its number; `fail` with the message when the store fails. It writes until it is killed or `count` leases are done.

import type { IssueId } from '../../lib/core/issue.ts';
import { openEmbeddedStore } from '../../lib/host/embedded-store.ts';
import { aBoard, aLeaseWith } from './ledger-records.ts';

const [dataDir = '', from = '0', count = 'Infinity'] = process.argv.slice(2);

try {
  const store = await openEmbeddedStore(dataDir);
  store.failed.then((error) => {
    process.stdout.write(`fail ${error.message}\n`);
    process.exit(1);
  });
  process.stdout.write('open\n');
  const feedback = 'x'.repeat(2_000);
  for (let at = Number(from); at < Number(from) + Number(count); at += 1) {
    await store.ledger
      .changeLease('g1', aBoard, String(at) as IssueId, aLeaseWith({ feedback }))
      .then(() => process.stdout.write(`${at}\n`))
      .catch((error: Error) => process.stdout.write(`lost ${error.message}\n`));
  }
  setInterval(() => {}, 1_000);
} catch (error) {
  process.stdout.write(`refused ${error instanceof Error ? `${error.name}: ${error.message}` : error}\n`);
  process.exitCode = 1;
}
