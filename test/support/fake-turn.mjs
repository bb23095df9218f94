// A turn program for tests: `fake-turn.mjs CONTROL HABIT...`. It notes its start in CONTROL/TURNID.begun, one line each,
// then does what its habits say and waits for CONTROL/TURNID.finish, which holds the exit code to end with.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [control, ...habits] = process.argv.slice(2);
const { EVENKEEL_TURN_ID: turnId, EVENKEEL_TURN_DIR: folder } = process.env;
const has = (habit) => habits.includes(habit);

if (has('ignore-term')) process.on('SIGTERM', () => note('term-ignored'));
// Stops take effect only when the test lets them, so that they are seen to be asynchronous.
if (has('slow-stop'))
  process.on('SIGTERM', () => when(`${control}/stops-take-effect`, () => dieBy('SIGTERM')));
if (has('remove-folder')) rmSync(folder, { recursive: true });
if (has('leave-outcome'))
  writeFileSync(join(folder, 'outcome.json'), readFileSync(join(control, 'outcome.json')));

const stray = has('leave-stray') && leaveStray({ ...process.env });
const cleared = has('leave-cleared-stray') && leaveStray({ PATH: process.env.PATH });
when(stray && `${control}/${stray.pid}.ready`, () =>
  when(cleared && `${control}/${cleared.pid}.ready`, () => {
    const about = {
      pid: process.pid,
      stray: stray?.pid,
      cleared: cleared?.pid,
      cwd: process.cwd(),
      env: process.env,
    };
    appendFileSync(join(control, `${turnId}.begun`), `${JSON.stringify(about)}\n`);
    if (has('exit-at-once')) process.exit(0);
    const order = join(control, `${turnId}.finish`);
    when(order, () => process.exit(Number(readFileSync(order, 'utf8'))));
  }),
);

/** A child in a session of its own that only notes a TERM and a WINCH: what agents leave behind. */
function leaveStray(env) {
  const code = `
    const note = (what) => require('fs').writeFileSync('${control}/' + process.pid + '.' + what, '');
    for (const signal of ['SIGTERM', 'SIGWINCH']) process.on(signal, () => note(signal));
    setInterval(() => {}, 1000);
    note('ready');`;
  const child = spawn(process.execPath, ['-e', code], { env, detached: true, stdio: 'ignore', cwd: '/' });
  child.unref();
  return child;
}

function when(path, act) {
  if (path && !existsSync(path)) setTimeout(when, 10, path, act);
  else act();
}

function note(what) {
  writeFileSync(join(control, `${turnId}.${what}`), '');
}

function dieBy(signal) {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
