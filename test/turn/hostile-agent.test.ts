import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { isRunning, makeTurnWorld, type TurnWorld, ticket } from '../support/turn-world.ts';

let world: TurnWorld;
afterEach(() => world.end());

const branch = 'evenkeel/issue/web-1';

/** A line that leaves a trace named after what ran, with what it could see. */
function trace(name: string): string {
  return `env > ${join(world.traces, name)}`;
}

describe('what an agent plants in its repository', () => {
  test('hooks, monitors, filters and transports do not run when the work is collected and delivered', async () => {
    world = await makeTurnWorld({ verify: ['test -f new.txt'] });
    const hooks = [
      'pre-push',
      'post-checkout',
      'pre-commit',
      'post-commit',
      'reference-transaction',
      'post-index-change',
    ];
    const configs = [
      'core.fsmonitor',
      'core.sshCommand',
      'core.pager',
      'filter.evil.clean',
      'filter.evil.smudge',
      'filter.evil.process',
      'diff.evil.textconv',
      'diff.external',
      'diff.evil.command',
      'uploadpack.packObjectsHook',
      'gpg.program',
      'credential.helper',
      'core.gitProxy',
      'core.editor',
    ];
    world.instructions.agent.command = [
      'echo new > new.txt',
      'git add . && git commit -q -m new',
      'echo "* filter=evil diff=evil" > .gitattributes',
      'mkdir -p .git/hooks',
      ...hooks.map(
        (name) =>
          `printf '#!/bin/sh\\n%s\\n' '${trace(`hook-${name}`)}' > .git/hooks/${name} && chmod +x .git/hooks/${name}`,
      ),
      ...configs.map((name) => `git config ${name} '${trace(name)}; false'`),
      'git config commit.gpgSign true',
      'git config core.hooksPath .git/hooks',
      'echo more > more.txt',
    ].join('\n');
    const { result } = await world.run();
    expect(result).toMatchObject({ status: 'completed', git: { pushed: true, commits: 2 } });
    expect(world.host.read(branch, 'more.txt')).toBe('more');
    expect(readdirSync(world.traces)).toEqual([]);
  });

  test('a repository planted where a submodule belongs is not looked into', async () => {
    world = await makeTurnWorld({});
    const sha = world.host.branch('main');
    world.host.git('update-ref', 'refs/heads/with-module', withSubmodule(sha ?? ''));
    world.host.git('update-ref', 'refs/heads/main', 'refs/heads/with-module');
    world.instructions.agent.command = [
      'rmdir module && git clone -q . module',
      // Git looks into a submodule when it stands where it should.
      `git -C module reset -q --hard ${sha}`,
      `git -C module config core.fsmonitor '${trace('fsmonitor')}; false'`,
      `git -C module config filter.evil.clean '${trace('clean')}; cat'`,
      'echo "* filter=evil" > module/.gitattributes',
      'echo new > new.txt',
    ].join('\n');
    const { result } = await world.run();
    expect(result).toMatchObject({ status: 'completed', git: { pushed: true, files: 1 } });
    expect(world.host.git('ls-tree', branch, 'module')).toContain(sha);
    expect(readdirSync(world.traces)).toEqual([]);
  });

  test('what it leaves running does not see the delivery', async () => {
    world = await makeTurnWorld({});
    world.instructions.agent.command = [
      `(setsid sh -c 'while :; do date > ${join(world.traces, 'alive')}; sleep 0.05; done' > /dev/null 2>&1 &)`,
      'echo new > new.txt',
    ].join('\n');
    world.host.check(
      `rm -f ${join(world.traces, 'alive')}; sleep 0.3; test ! -f ${join(world.traces, 'alive')}`,
    );
    expect((await world.run()).result).toMatchObject({ status: 'completed', git: { pushed: true } });
  });
});

describe('what an agent or a gate writes into the folder of its turn', () => {
  /** Everything by which git could be led elsewhere, or made to run something, in the turn program's own repository. */
  function subvert(name: string): string {
    const evil = join(world.traces, '..', 'evil.git');
    const settings = [
      ['remote.origin.url', evil],
      ['remote.origin.pushurl', evil],
      [`url.${evil}.insteadOf`, world.host.address],
      [`url.${evil}.pushInsteadOf`, world.host.address],
      ['core.sshCommand', trace(`${name}-ssh`)],
      ['core.attributesFile', '../evil.attributes'],
      ['filter.evil.clean', `${trace(`${name}-clean`)}; cat`],
      ['core.alternateRefsCommand', trace(`${name}-alternates`)],
    ];
    return [
      `test -d ${evil} || git init -q --bare ${evil}`,
      ...settings.map(([key, value]) => `git --git-dir=../repo.git config --add '${key}' '${value}'`),
      'echo "* filter=evil" > ../evil.attributes; mkdir -p ../repo.git/info',
      'cp ../evil.attributes ../repo.git/info/attributes',
      'echo ref: refs/heads/other > ../repo.git/HEAD',
    ].join('\n');
  }

  /** The same from a folder that git takes the configuration, the refs and the objects from instead. */
  const divert = (name: string) =>
    `${subvert(name)}\ncp -r ../repo.git ../other.git; echo ../other.git > ../repo.git/commondir`;

  test.each([
    ['settings', subvert],
    ['a common folder', divert],
  ])('leads git to no other repository and makes it run nothing: %s', async (_, plant) => {
    world = await makeTurnWorld({});
    world.instructions.agent.command = `${plant('agent')}\ngit commit -q --allow-empty -m done; echo new > new.txt`;
    world.instructions.verify = [plant('gate')];
    const { result } = await world.run();
    expect(result).toMatchObject({ status: 'completed', git: { pushed: true, commits: 2 } });
    expect(world.host.branch(branch)).toBe(result?.git?.headSha);
    expect(readdirSync(join(world.traces, '..', 'evil.git', 'refs', 'heads'))).toEqual([]);
    expect(readdirSync(world.traces)).toEqual([]);
  });

  test('is not there for its gates', async () => {
    const planted = 'mkdir -p ../gates/node_modules && touch ../gates/node_modules/planted';
    world = await makeTurnWorld({
      command: `${planted}; echo new > new.txt`,
      verify: ['test ! -e node_modules'],
    });
    expect((await world.run()).result).toMatchObject({ status: 'completed', git: { pushed: true } });
  });

  test('does not hold the collection of its work up', async () => {
    const planted = 'mkfifo ../handover.pipe && mv ../handover.pipe ../handover.bundle';
    world = await makeTurnWorld({
      command: `${planted}; git commit -q --allow-empty -m done`,
      verify: ['true'],
    });
    expect((await world.run()).result).toMatchObject({
      status: 'completed',
      git: { pushed: true, commits: 1 },
    });
  });

  test('in place of the repository is not used, and what a link leads to stays', async () => {
    world = await makeTurnWorld({ command: 'echo new > new.txt' });
    const kept = join(world.traces, 'kept');
    world.instructions.agent.command += `; mkdir ${kept}; touch ${kept}/config ${kept}/other; rm -rf ../repo.git; ln -s ${kept} ../repo.git`;
    expect((await world.run()).result).toMatchObject({ status: 'failed', git: { pushed: false } });
    expect(readdirSync(kept).sort()).toEqual(['config', 'other']);
  });
});

test.skipIf(!existsSync('/proc/self/limits'))(
  'what agent, hook and gate leave running is ended, also when it kept nothing of parent, session and environment',
  async () => {
    world = await makeTurnWorld({});
    const pidOf = (starter: string) => join(world.traces, starter);
    const leave = (starter: string) =>
      [
        `(cd / && env -i PATH="$PATH" setsid sh -c 'echo $$ > ${pidOf(starter)}; exec sleep 98764' &) > /dev/null 2>&1 < /dev/null`,
        `until test -s ${pidOf(starter)}; do sleep 0.05; done`,
      ].join('\n');
    world.instructions.agent.command = `${leave('agent')}\necho new > new.txt`;
    world.instructions.hooks.after_run = leave('hook');
    world.instructions.verify = [leave('gate')];
    expect((await world.run()).result).toMatchObject({ status: 'completed', git: { pushed: true } });
    const alive = ['agent', 'hook', 'gate'].filter((name) =>
      isRunning(Number(readFileSync(pidOf(name), 'utf8'))),
    );
    expect(alive).toEqual([]);
  },
);

describe('what an agent sees', () => {
  test('is a short list of variables, its own keys, and no secret of the turn', async () => {
    world = await makeTurnWorld({ command: 'env | sort > env.txt' });
    const env = {
      MODEL_KEY: 'short',
      AWS_SECRET_ACCESS_KEY: 'no',
      GITHUB_TOKEN: 'no',
      EVENKEEL_PASS: 'MODEL_KEY, MISSING',
    };
    await world.run({ env });
    const seen = world.host.read(branch, 'env.txt') ?? '';
    const names = seen.split('\n').map((line) => line.split('=')[0]);
    const allowed = [
      'CI',
      'EVENKEEL_COOKIE',
      'EVENKEEL_PROMPT_FILE',
      'EVENKEEL_RESULT_FILE',
      'GIT_TERMINAL_PROMPT',
      'HOME',
      'LANG',
      'LC_ALL',
      'MODEL_KEY',
      'NO_COLOR',
      'PATH',
      'PWD',
      'OLDPWD',
      'SHLVL',
      'TERM',
      'TMPDIR',
      '_',
    ];
    expect(names).toContain('MODEL_KEY');
    expect(names.filter((name) => !allowed.includes(name ?? ''))).toEqual([]);
    expect(seen).toContain(`HOME=${process.env.HOME}`);
    expect(seen).not.toContain(ticket);
  });

  test('secrets of the turn are in no log and in no file of its folder', async () => {
    world = await makeTurnWorld({ command: 'echo new > new.txt' });
    const { log } = await world.run();
    const key = world.api.heard.start[0]?.key ?? '';
    expect(key.length).toBeGreaterThan(31);
    const texts = [log, ...filesBelow(world.dir).map((path) => readFileSync(path, 'latin1'))];
    expect(texts.filter((text) => text.includes(key) || text.includes(ticket))).toEqual([]);
    expect(log).toContain('the agent runs as the same user');
  });

  test('the ticket is shown once, at the gate, and the key afterwards', async () => {
    world = await makeTurnWorld({ command: 'sleep 0.3' });
    await world.run();
    const { bearers, start } = world.api.heard;
    const key = start[0]?.key;
    expect(bearers[0]).toMatch(new RegExp(`/start Bearer ${ticket}$`));
    expect(new Set(bearers.slice(1).map((text) => text.split(' ').at(-1)))).toEqual(new Set([key]));
  });

  test('its checkout knows the repository without credentials, and pushing is refused', async () => {
    world = await makeTurnWorld({
      command:
        'git remote get-url origin > url.txt; git push -q origin HEAD:main 2> /dev/null || echo refused >> url.txt',
    });
    await world.run();
    expect(world.host.read(branch, 'url.txt')).toBe(`${world.host.address}\nrefused`);
  });
});

describe('the agent’s own report', () => {
  const report = (text: string) => `printf '%s' '${text}' > "$EVENKEEL_RESULT_FILE"`;

  test('asks a person, and the work so far is delivered', async () => {
    world = await makeTurnWorld({
      command: `echo new > new.txt; ${report('{"status":"question","question":"Which colour?"}')}`,
    });
    expect((await world.run()).result).toMatchObject({
      status: 'question',
      question: 'Which colour?',
      git: { pushed: true },
    });
  });

  test('cannot say that the work is done', async () => {
    world = await makeTurnWorld({ command: `${report('{"status":"done"}')}; exit 1` });
    expect((await world.run()).result).toMatchObject({ status: 'failed', failure: { kind: 'crash' } });
  });

  test('is not read through a link', async () => {
    world = await makeTurnWorld({});
    const secret = join(world.traces, 'secret.json');
    world.instructions.agent.command = `echo '{"status":"question","question":"a secret"}' > ${secret}; ln -s ${secret} "$EVENKEEL_RESULT_FILE"`;
    expect((await world.run()).result).toMatchObject({ status: 'completed' });
    expect(existsSync(secret)).toBe(true);
  });

  test('that is a pipe does not hold the turn up', async () => {
    world = await makeTurnWorld({ command: 'mkfifo "$EVENKEEL_RESULT_FILE"' });
    expect((await world.run()).result).toMatchObject({ status: 'completed' });
  });
});

function withSubmodule(sha: string): string {
  const index = join(world.traces, '..', 'index');
  const env = (args: readonly string[]) =>
    world.host.git('-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args);
  process.env.GIT_INDEX_FILE = index;
  try {
    env(['read-tree', sha]);
    env(['update-index', '--add', '--cacheinfo', `160000,${sha},module`]);
    return env(['commit-tree', env(['write-tree']), '-p', sha, '-m', 'a submodule']);
  } finally {
    delete process.env.GIT_INDEX_FILE;
  }
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
