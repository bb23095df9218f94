import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { chooseAgentUser } from '../../lib/turn/agent-user.ts';
import { type ApartWorld, makeApartWorld } from '../support/apart-world.ts';
import { mayChangeUsers } from '../support/free-uid.ts';
import { isRunning, until } from '../support/turn-world.ts';

let world: ApartWorld;
afterEach(() => world?.end());

const branch = 'evenkeel/issue/web-1';
const completed = { status: 'completed', git: { pushed: true } };
const trace = (name: string) => join(world.traces, name);
const read = (name: string) => (existsSync(trace(name)) ? readFileSync(trace(name), 'utf8').trim() : '');

const hasPerl = spawnSync('perl', ['-v']).status === 0;

/** Each line of these that succeeds leaves its name. */
function attempt(who: string, deeds: Readonly<Record<string, string>>): string {
  return Object.entries(deeds)
    .map(([name, line]) => `(${line}) > /dev/null 2>&1 && echo '${who}: ${name}' >> ${trace('done')}`)
    .concat('true')
    .join('\n');
}

describe.skipIf(!mayChangeUsers)('in a task the agent has a user of its own (needs root), which', () => {
  test('its hooks and its gates share, and no group besides', async () => {
    world = await makeApartWorld();
    const tell = (who: string) => `echo $(id -u) $(id -g) $(id -G) > ${trace(who)}`;
    world.instructions.agent.command = `${tell('agent')}; echo new > new.txt`;
    world.instructions.hooks.before_run = tell('hook');
    world.instructions.verify = [`${tell('gate')}; test -f new.txt`];
    // An image may have its programs keep what they make to themselves.
    const umask = process.umask(0o077);
    const turn = world.start();
    process.umask(umask);
    const { result, log } = await turn.ended;
    expect(result, log).toMatchObject(completed);
    const { uid } = world;
    expect(['agent', 'hook', 'gate'].map(read)).toEqual(Array(3).fill(`${uid} ${uid} ${uid}`));
    expect(log).toContain(`run as user ${uid}`);
  });

  test('has what it works with: its home, a folder for temporary files, its prompt, its report', async () => {
    world = await makeApartWorld();
    world.instructions.agent.command = attempt('agent', {
      home: 'touch "$HOME/file" && test "$HOME" != /root',
      temporary: 'touch "$TMPDIR/file"',
      prompt: 'grep -q Please "$EVENKEEL_PROMPT_FILE"',
      report: `printf '{"status":"question","question":"Which colour?"}' > "$EVENKEEL_RESULT_FILE"`,
      commit: 'echo one > one.txt && git add . && git commit -q -m one',
      leftover: 'mkdir deep && echo two > deep/two.txt && ln -s two.txt deep/link',
      git: 'git config --global user.name me',
    });
    world.instructions.verify = ['test -f one.txt && touch made-by-a-gate'];
    const { result, log } = await world.run();
    expect(result, log).toMatchObject({
      status: 'question',
      question: 'Which colour?',
      git: { pushed: true, commits: 2 },
    });
    expect(read('done').split('\n')).toHaveLength(7);
    expect(world.host.read(branch, 'one.txt')).toBe('one');
    expect(world.host.read(branch, 'deep/two.txt')).toBe('two');
    expect(world.host.git('ls-tree', branch, 'deep/link')).toContain('120000');
  });

  test('can neither look into the turn program nor change what it keeps', async () => {
    world = await makeApartWorld();
    const deeds = {
      'reads its variables': 'cat /proc/$PPID/environ',
      'reads its memory': 'head -c 1 /proc/$PPID/mem',
      'sees its files': 'ls /proc/$PPID/fd/',
      'follows its folder': 'ls /proc/$PPID/cwd/',
      'signals it': 'kill -0 $PPID',
      'ends it': 'kill -9 $PPID',
      'opens its debugger': 'kill -USR1 $PPID',
      'reads its repository': 'ls ../repo.git',
      'reads a setting of it': 'cat ../repo.git/config',
      'changes its repository': 'echo x >> ../repo.git/config',
      'leaves a result': 'echo {} > ../outcome.json',
      'reads its instructions': 'cat ../instructions.json',
      'reads its logs': 'ls ../out',
      'lists its folder': 'ls ..',
      'makes a file there': 'touch ../staging',
      'replaces the workspace': 'mv ../ws ../away',
      'replaces the gates': 'mkdir -p ../gates/mine || rm -r ../gates',
    };
    world.instructions.agent.command = `${attempt('agent', deeds)}; echo new > new.txt`;
    world.instructions.hooks.after_run = attempt('hook', deeds);
    world.instructions.verify = [attempt('gate', { ...deeds, 'replaces the gates': 'mv ../gates ../away' })];
    const { result, log } = await world.run();
    expect(read('done')).toBe('');
    expect(result, log).toMatchObject({ ...completed, git: { commits: 1 } });
  });

  test('cannot hide a process by any means', async () => {
    world = await makeApartWorld();
    const leave = (who: string) =>
      [
        `(cd / && env -i PATH="$PATH" setsid sh -c 'ulimit -S -x unlimited 2> /dev/null || ulimit -S -w unlimited; echo $$ > ${trace(who)}; exec sleep 98765' &) > /dev/null 2>&1 < /dev/null`,
        `until test -s ${trace(who)}; do sleep 0.05; done`,
      ].join('\n');
    world.instructions.agent.command = `${leave('agent')}\necho new > new.txt`;
    world.instructions.hooks.before_run = leave('hook');
    world.instructions.verify = [
      // One that has ended may wait for somebody to take note of it.
      ...['hook', 'agent'].map(
        (who) => `! grep -q '^State:.*[^ZX] (' /proc/$(cat ${trace(who)})/status 2> /dev/null`,
      ),
      leave('gate'),
    ];
    const { result, log } = await world.run();
    expect(result, log).toMatchObject(completed);
    expect(['agent', 'hook', 'gate'].filter((who) => isRunning(Number(read(who))))).toEqual([]);
  });

  test.skipIf(!hasPerl)(
    'cannot outrun the end of its processes by one that starts the next and ends at once (needs perl)',
    async () => {
      world = await makeApartWorld();
      const run = `fork and exit while -d "${world.traces}" and open F, ">", "${trace('runs')}"`;
      world.instructions.agent.command = `env -i setsid perl -e '${run}' & until test -e ${trace('runs')}; do sleep 0.05; done; echo new > new.txt`;
      world.host.check(`rm -f ${trace('runs')}; sleep 0.3; test ! -e ${trace('runs')}`);
      const { result, log } = await world.run({ hasty: { killGraceMs: 100 } });
      expect(result, log).toMatchObject(completed);
    },
  );

  test('keeps nothing alive when its turn is stopped, and what it has done is kept', async () => {
    world = await makeApartWorld();
    world.instructions.agent.command = `trap '' TERM; echo new > new.txt; env -i setsid sleep 98766 & echo $! > ${trace('pid')}; wait; sleep 98766`;
    const turn = world.start({ hasty: { killGraceMs: 100 } });
    await until('the agent works', () => read('pid') !== '', 60_000);
    turn.signal('SIGTERM');
    const { outcome, result, log } = await turn.ended;
    expect(outcome ?? result, log).toMatchObject({ status: 'stopped', git: { commits: 1 } });
    expect(isRunning(Number(read('pid')))).toBe(false);
    expect(world.host.branch('evenkeel/wip/web-1')).toBeDefined();
  });

  test('gets nothing delivered that it could not read itself, by whatever name it comes', async () => {
    world = await makeApartWorld();
    const secret = join(world.traces, 'secret');
    writeFileSync(secret, '{"status":"question","question":"a secret of root"}', { mode: 0o600 });
    world.instructions.agent.command = [
      'echo new > new.txt; rm README.md .git/info/exclude',
      `touch ${trace('ready')}; until test -e ${trace('go')}; do sleep 0.05; done`,
    ].join('\n');
    const turn = world.start();
    await until('the agent works', () => existsSync(trace('ready')), 60_000);
    // As if the system let everybody give a further name to any file.
    const workspace = join(world.dir, 'ws');
    for (const name of ['stolen.txt', 'README.md', '.gitignore', '.git/info/exclude', '../io/result.json'])
      linkSync(secret, join(workspace, name));
    writeFileSync(trace('go'), '');
    const { result, log } = await turn.ended;
    expect(result, log).toMatchObject({ ...completed, git: { commits: 1, files: 1 } });
    expect(result?.notes).toContain('The work leaves out files that could not be read.');
    expect(world.host.read(branch, 'new.txt')).toBe('new');
    expect(world.host.read(branch, 'README.md')).toBe('A repository.');
    expect(JSON.stringify(result) + log).not.toContain('a secret of root');
    expect(statSync(secret)).toMatchObject({ uid: 0, mode: 0o100600 });
  });

  test('makes no git of root follow what it writes into its repository and its home', async () => {
    world = await makeApartWorld();
    const tell = `id -u >> ${trace('ran')}`;
    const configs = ['core.fsmonitor', 'core.hooksPath', 'core.sshCommand', 'uploadpack.packObjectsHook'];
    world.instructions.agent.command = [
      `printf '#!/bin/sh\n${tell}\nexit 1\n' > "$HOME/tell" && chmod +x "$HOME/tell"`,
      'echo new > new.txt; git add . && git commit -q -m new; echo more > more.txt',
      ...configs.flatMap((name) => [
        `git config ${name} "$HOME/tell"`,
        `git config --global ${name} "$HOME/tell"`,
      ]),
      'git config --global alias.add "!$HOME/tell"; git config --global include.path /proc/1/environ',
      'mkdir -p "$HOME/.config/git" && ln -s /proc/1/environ "$HOME/.config/git/ignore"',
    ].join('\n');
    world.instructions.verify = ['test -f more.txt'];
    const { result, log } = await world.run();
    expect(result, log).toMatchObject({ ...completed, git: { commits: 2 } });
    expect(read('ran').split('\n')).not.toContain('0');
  });

  test('puts no program in the way of root, also where the image looks for programs in its home', async () => {
    world = await makeApartWorld();
    const bin = trace('bin');
    mkdirSync(bin);
    chownSync(bin, world.uid, world.uid);
    const git = `#!/bin/sh\nid -u >> ${trace('ran')}\nPATH="\${PATH#*:}" exec git "$@"\n`;
    writeFileSync(trace('git'), git, { mode: 0o755 });
    world.instructions.agent.command = `cp ${trace('git')} ${bin}/git; echo new > new.txt; git status > /dev/null`;
    world.instructions.verify = ['test -f new.txt'];
    const { result, log } = await world.run({ env: { PATH: `${bin}:${process.env.PATH}` } });
    expect(result, log).toMatchObject(completed);
    expect(new Set(read('ran').split('\n'))).toEqual(new Set([String(world.uid)]));
  });
});

describe.skipIf(!mayChangeUsers)('the folder of a turn (needs root)', () => {
  test.each([
    ['a folder of the agent', (path: string, uid: number) => chownSync(path, uid, uid)],
    ['a folder that everybody may change', (path: string) => chmodSync(path, 0o777)],
  ])('begins no turn in %s, where another one could take its place', async (_, open) => {
    world = await makeApartWorld({ command: 'echo new > new.txt' });
    open(join(world.dir, '..'), world.uid);
    const { log } = await world.run();
    expect(log).toMatch(/turn could not be set up.*set TMPDIR to another/);
    expect(world.host.branch(branch)).toBeUndefined();
  });

  test('may lie where everybody may make new ones, as in /tmp', async () => {
    world = await makeApartWorld({ command: 'echo new > new.txt' });
    chmodSync(join(world.dir, '..'), 0o1777);
    const { result, log } = await world.run();
    expect(result, log).toMatchObject(completed);
  });
});

describe.skipIf(!mayChangeUsers)('the user that a uid stands for (needs root)', () => {
  const home = () => join(world.traces, 'home');

  async function choose(account: (uid: number) => string) {
    world = await makeApartWorld();
    mkdirSync(home());
    chownSync(home(), world.uid, world.uid);
    const accounts = join(world.traces, 'passwd');
    writeFileSync(accounts, `root:x:0:0:root:/root:/bin/sh\n${account(world.uid)}`);
    const { uid, ...found } = chooseAgentUser(world.uid, '/turn', accounts) ?? {};
    expect(uid).toBe(world.uid);
    return found;
  }

  test('has the group and the home of its account', async () => {
    expect(await choose((uid) => `node:x:${uid}:77:Node,,,:${home()}:/bin/sh\n`)).toEqual({
      gid: 77,
      home: home(),
    });
  });

  test.each([
    ['without an account', () => ''],
    [
      'in the group of root, with the home of somebody else',
      (uid: number) => `node:x:${uid}:0::/root:/bin/sh\n`,
    ],
    ['without a home', (uid: number) => `node:x:${uid}:${uid}::/nonexistent:/bin/sh\n`],
  ])('%s has a group and a home of its own', async (_, account) => {
    expect(await choose(account)).toEqual({ gid: world.uid, home: '/turn/home' });
  });
});

test('a turn that was told no uid runs its agent as its own user', () => {
  expect(chooseAgentUser(undefined, '/turn')).toBeUndefined();
});
