import { afterEach, expect, test } from 'vitest';
import { makeTurnWorld, type TurnWorld } from '../support/turn-world.ts';

let world: TurnWorld;
afterEach(() => world.end());

test('work that an agent commits reaches the issue’s branch', async () => {
  world = await makeTurnWorld({
    command: 'cat > prompt.txt && git add prompt.txt && git commit -q -m done',
  });
  const { result, exitCode, outcome } = await world.run();
  expect(exitCode).toBe(0);
  expect(result).toMatchObject({ status: 'completed', git: { pushed: true, commits: 1, files: 1 } });
  expect(outcome).toEqual(result);
  expect(world.host.read('evenkeel/issue/web-1', 'prompt.txt')).toBe('Please do what the issue says.');
  expect(world.host.branch('evenkeel/issue/web-1')).toBe(result?.git?.headSha);
});
