import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { limits } from '../../lib/core/turn-protocol.ts';
import { makeTurnWorld, type TurnWorld } from '../support/turn-world.ts';

let world: TurnWorld;
afterEach(() => world.end());

const branch = 'evenkeel/issue/web-1';
const wip = 'evenkeel/wip/web-1';

test('work that passes its gates is delivered, with what each gate said', async () => {
  world = await makeTurnWorld({
    command: 'echo new > new.txt',
    verify: ['test -f new.txt', 'test -f README.md'],
  });
  const { result } = await world.run();
  expect(result).toMatchObject({
    status: 'completed',
    git: { pushed: true },
    verify: [
      { command: 'test -f new.txt', status: 'passed', exitCode: 0 },
      { command: 'test -f README.md', status: 'passed', exitCode: 0 },
    ],
  });
  expect(result?.feedback).toBeUndefined();
});

test('gates see the committed work and nothing else of the agent’s', async () => {
  const clean =
    'test ! -e ignored.txt && test -z "$MODEL_KEY" && test -z "$EVENKEEL_RESULT_FILE" && test -n "$CI"';
  world = await makeTurnWorld({
    command: 'echo ignored.txt > .gitignore; touch ignored.txt new.txt',
    verify: [
      `${clean} && test -f new.txt && test "$(git log -1 --format=%s)" = "web-1: keep work that the agent did not commit"`,
    ],
  });
  const { result } = await world.run({
    env: { MODEL_KEY: 'the-key-of-the-model', EVENKEEL_PASS: 'MODEL_KEY' },
  });
  expect(result).toMatchObject({ status: 'completed', verify: [{ status: 'passed' }] });
});

test('what one gate makes is there for the next', async () => {
  world = await makeTurnWorld({
    command: 'echo new > new.txt',
    verify: ['echo built > built.txt', 'grep built built.txt'],
  });
  expect((await world.run()).result).toMatchObject({ status: 'completed' });
});

test('work that fails a gate is kept aside, and the next turn gets the end of the output', async () => {
  const gate = 'for i in $(seq 2000); do echo "line $i of the test"; done; echo "the assertion" >&2; exit 4';
  world = await makeTurnWorld({ command: 'echo new > new.txt', verify: ['true', gate, 'echo never'] });
  const { result } = await world.run();
  expect(result).toMatchObject({
    status: 'failed',
    failure: { class: 'verification', kind: 'gate-failed', retryable: true },
    git: { pushed: false, wipBranch: wip, commits: 1 },
    verify: [{ status: 'passed' }, { status: 'failed', exitCode: 4 }, { status: 'not-run' }],
  });
  expect(result?.feedback).toContain(`kept on origin/${wip}`);
  expect(result?.feedback?.length).toBeLessThanOrEqual(limits.logTail);
  // The two outputs are two pipes: their order at the seam is nobody's promise.
  expect(result?.feedback).toContain('line 2000 of the test');
  expect(result?.feedback).toContain('the assertion');
  expect(world.host.branch(branch)).toBeUndefined();
  expect(world.host.read(wip, 'new.txt')).toBe('new');
  expect(readFileSync(join(world.dir, 'out', 'verify-2.log'), 'utf8')).toContain('line 1 of the test');
});

test('a gate whose program is missing is the policy’s fault', async () => {
  world = await makeTurnWorld({ command: 'echo new > new.txt', verify: ['no-such-test-program'] });
  expect((await world.run()).result).toMatchObject({
    failure: { class: 'policy', kind: 'gate-inert', retryable: false },
    git: { pushed: false, wipBranch: wip },
  });
});

test('a gate that hangs is ended, with what it left running', async () => {
  world = await makeTurnWorld({ command: 'echo new > new.txt', verify: ['setsid sleep 60 & sleep 60'] });
  const { result } = await world.run({ hasty: { gateMs: 500, killGraceMs: 200 } });
  expect(result).toMatchObject({
    failure: { class: 'verification', kind: 'gate-timeout', retryable: true },
    verify: [{ status: 'timeout' }],
  });
  expect(world.alive()).toEqual([]);
});

test('without new commits there is nothing to verify', async () => {
  world = await makeTurnWorld({ command: 'true', verify: ['false'] });
  expect((await world.run()).result).toMatchObject({ status: 'completed', verify: [{ status: 'not-run' }] });
});

test('half-done work behind a question may fail its gates: the question counts', async () => {
  const ask = `echo '{"status":"question","question":"Which?"}' > "$EVENKEEL_RESULT_FILE"`;
  world = await makeTurnWorld({ command: `echo new > new.txt; ${ask}`, verify: ['false'] });
  expect((await world.run()).result).toMatchObject({
    status: 'question',
    question: 'Which?',
    git: { pushed: false, wipBranch: wip },
    verify: [{ status: 'failed' }],
  });
});
