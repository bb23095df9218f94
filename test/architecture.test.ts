import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { checkArchitecture } from './support/architecture/check-architecture.ts';

test('the tree keeps the rules of its architecture', () => {
  expect(checkArchitecture(sourcesOfTheTree())).toEqual([]);
});

type Planted = readonly [path: string, text: string];

describe('the checker accepts', () => {
  test.each<readonly [what: string, ...Planted]>([
    [
      'other files of core, and zod, in core',
      'lib/core/a.ts',
      "import * as z from 'zod';\nimport { b } from './b.ts';\nz.string().parse(b);",
    ],
    [
      'createHash in core',
      'lib/core/a.ts',
      "import { createHash } from 'node:crypto';\ncreateHash('sha256');",
    ],
    [
      'dates and sums of what is given in core',
      'lib/core/a.ts',
      'new Date(1).getTime() + Math.max(1, 2) + Date.parse("x");',
    ],
    [
      'a field called process in core',
      'lib/core/a.ts',
      'export type B = { readonly process: string; readonly at: Date };',
    ],
    [
      'words in comments and strings of core',
      'lib/core/a.ts',
      '// No promise is made here, and process is a word.\nexport const a = "await";',
    ],
    ['a file of exactly 250 lines', 'lib/core/a.ts', linesOf(250)],
    ['a table of cases of exactly 500 lines', 'test/a.test.ts', linesOf(500)],
    ['a function of exactly 70 lines', 'lib/core/a.ts', functionOf(70)],
    [
      'the kinds of boards in the schema',
      'lib/core/workflow-schema.ts',
      "export const kinds = ['github', 'linear'];",
    ],
    ['core and its own in the controller', 'lib/controller/a.ts', "import '../core/b.ts';\nimport './b.ts';"],
    [
      "an adapter's own package, Node and zod",
      'lib/adapters/github/a.ts',
      "import '@octokit/core';\nimport 'node:fs';\nimport './b.ts';\nimport 'zod';",
    ],
    [
      'types of the ports in an adapter',
      'lib/adapters/linear/a.ts',
      "import type { Tracker } from '../../controller/ports.ts';\nexport type B = Tracker;",
    ],
    [
      'controller, adapters and middleware in functions',
      'functions/a.ts',
      "import '../lib/controller/a.ts';\nimport '../lib/adapters/github/a.ts';\nimport '@middy/core';",
    ],
    [
      'constructs, and types of the environment, in the stack',
      'lib/stack/a.ts',
      "import 'aws-cdk-lib';\nimport type { E } from '../../functions/environment.ts';\nexport type B = E;",
    ],
    [
      'everything that serves in the host',
      'lib/host/a.ts',
      "import '../../functions/reconcile.ts';\nimport 'dynalite';\nimport 'node:http';",
    ],
    ['the host in the command line', 'lib/cli/a.ts', "import '../host/b.ts';\nimport 'commander';"],
    [
      'core, own files and packages in the turn program',
      'lib/turn/a.ts',
      "import '../core/b.ts';\nimport 'execa';\nimport 'node:child_process';",
    ],
    ['the stack in its app', 'bin/app.ts', "import '../lib/stack/a.ts';\nimport 'aws-cdk-lib';"],
    ['a long group of tests', 'test/a.test.ts', `describe('x', () => {\n${'a();\n'.repeat(100)}});`],
  ])('%s', (_, path, text) => {
    expect(checkArchitecture(planted(path, text))).toEqual([]);
  });
});

describe('the checker finds', () => {
  const violations: readonly (readonly [...Planted, violation: string])[] = [
    ['lib/core/a.ts', "import '../controller/b.ts';", 'imports: lib/controller/b.ts'],
    ['lib/core/a.ts', "export { b } from '../turn/b.ts';\nexport const a = 1;", 'imports: lib/turn/b.ts'],
    ['lib/core/a.ts', "export type B = import('execa').Options;", 'imports: execa'],
    ['lib/controller/a.ts', "import 'node:fs';", 'imports: node:fs'],
    [
      'lib/controller/a.ts',
      "import type { B } from '../adapters/local-board/b.ts';",
      'imports: lib/adapters/local-board/b.ts',
    ],
    ['lib/controller/a.ts', "const b = await import('zod');", 'imports: zod'],
    ['lib/adapters/github/a.ts', "import '../linear/b.ts';", 'imports: lib/adapters/linear/b.ts'],
    ['lib/adapters/github/a.ts', "import '@linear/sdk';", 'imports: @linear/sdk'],
    [
      'lib/adapters/github/a.ts',
      "import { b } from '../../controller/ports.ts';\nb();",
      'imports: lib/controller/ports.ts (types only)',
    ],
    ['lib/adapters/jira/a.ts', 'export const a = 1;', 'imports: no import rule covers this file'],
    ['functions/a.ts', "import '../lib/host/b.ts';", 'imports: lib/host/b.ts'],
    ['functions/a.ts', "import 'aws-cdk-lib/aws-ecs';", 'imports: aws-cdk-lib/aws-ecs'],
    ['lib/stack/a.ts', "import '../controller/b.ts';", 'imports: lib/controller/b.ts'],
    [
      'lib/stack/a.ts',
      "import { e } from '../../functions/environment.ts';",
      'imports: functions/environment.ts (types only)',
    ],
    ['lib/host/a.ts', "import '../turn/b.ts';", 'imports: lib/turn/b.ts'],
    ['lib/host/a.ts', "import '../cli/b.ts';", 'imports: lib/cli/b.ts'],
    ['lib/host/a.ts', "import '@aws-sdk/client-dynamodb';", 'imports: @aws-sdk/client-dynamodb'],
    ['lib/cli/a.ts', "import 'constructs';", 'imports: constructs'],
    ['bin/evenkeel.ts', "import '../lib/stack/b.ts';", 'imports: lib/stack/b.ts'],
    ['lib/turn/a.ts', "import '../adapters/github/b.ts';", 'imports: lib/adapters/github/b.ts'],
    ['bin/turn.ts', "import '@aws-sdk/client-s3';", 'imports: @aws-sdk/client-s3'],
    ['bin/app.ts', "import '../lib/host/b.ts';", 'imports: lib/host/b.ts'],
    ['lib/core/a.ts', 'export const a = async () => {};', 'pure: async'],
    ['lib/core/a.ts', 'export type A = Promise<string>;', 'pure: Promise'],
    ['lib/core/a.ts', 'export const a = process.env;', 'pure: process.env'],
    ['lib/core/a.ts', 'export const a = { process };', 'pure: process'],
    ['lib/core/a.ts', 'export const a = Date.now();', 'pure: Date.now'],
    ['lib/core/a.ts', 'export const a = new Date();', 'pure: Date'],
    ['lib/core/a.ts', 'const { random } = Math;', 'pure: Math'],
    ['lib/core/a.ts', 'export const a = Math.random();', 'pure: Math.random'],
    [
      'lib/core/a.ts',
      "import { randomUUID } from 'node:crypto';",
      "pure: import { randomUUID } from 'node:crypto';",
    ],
    ['lib/core/a.ts', 'export const a = import.meta.url;', 'pure: import.meta'],
    ['lib/core/a.ts', "export const a = 'GitHub';", 'vendor-words: github'],
    ['lib/controller/a.ts', '// ECS forgets.\nexport const a = 1;', 'vendor-words: ecs'],
    ['lib/core/a.ts', linesOf(251), 'file-length: 251 lines, at most 250'],
    ['test/a.test.ts', linesOf(501), 'file-length: 501 lines, at most 500'],
    ['lib/core/a.ts', functionOf(71), 'function-length: a has 71 lines, at most 70'],
    [
      'lib/core/a.ts',
      `export const b = ${functionOf(71).replace('export function a', 'function')}`,
      'function-length: b has 71 lines, at most 70',
    ],
    [
      'test/a.test.ts',
      `test('x', () => {\n${'a();\n'.repeat(70)}});`,
      'function-length: test has 72 lines, at most 70',
    ],
    ['lib/core/a.ts', "export * from './b.ts';", 'barrel: only re-exports; import from where it is made'],
    [
      'lib/core/a.ts',
      "import { b } from './b.ts';\nexport { b };",
      'barrel: only re-exports; import from where it is made',
    ],
    ['lib/core/a.ts', 'export default function a() {}', 'default-export: name what is exported'],
    ['lib/core/a.ts', 'const a = 1;\nexport { a as default };', 'default-export: name what is exported'],
    ['lib/core/aB.ts', 'export const a = 1;', 'naming: aB.ts is not in kebab-case'],
    ['test/describeTracker.ts', 'export const a = 1;', 'naming: describeTracker.ts is not in kebab-case'],
    ['lib/core/types.ts', 'export type A = 1;', 'naming: types.ts names no concept'],
    ['lib/core/utils/a.ts', 'export const a = 1;', 'naming: folder utils names no concept'],
    ['lib/core/shared/a.ts', 'export const a = 1;', 'naming: folder shared names no concept'],
    ['lib/core/someThing/a.ts', 'export const a = 1;', 'naming: folder someThing is not in kebab-case'],
    ['test/a.test.ts', "vi.mock('./b.ts');", 'module-mock: vi.mock'],
    ['test/a.test.ts', "vi.doMock('./b.ts');", 'module-mock: vi.doMock'],
  ];
  for (const [path, text, violation] of violations) {
    test(`${violation}, in ${path}`, () => {
      expect(checkArchitecture(planted(path, text))).toEqual([`${path}: ${violation}`]);
    });
  }

  test('a file that only tests lead to', () => {
    const sources = {
      'lib/core/a.ts': 'export const a = 1;',
      'test/a.test.ts': "import { a } from '../lib/core/a.ts';\na;",
    };
    expect(checkArchitecture(sources)).toEqual(['lib/core/a.ts: reachable: no entry leads to this file']);
  });

  test('no thread that is started from its file', () => {
    const sources = {
      'bin/turn.ts': "new Worker(new URL('../lib/turn/a.js', import.meta.url));\n",
      'lib/turn/a.js': '',
    };
    expect(checkArchitecture(sources)).toEqual([]);
  });

  test('an exported value that nobody imports', () => {
    const sources = {
      'bin/turn.ts': "import { a } from '../lib/core/a.ts';\na;",
      'lib/core/a.ts': 'export const a = 1;\nexport const b = 2;',
    };
    expect(checkArchitecture(sources)).toEqual(['lib/core/a.ts: used-export: nobody imports b']);
  });
});

/** The file among nothing but a script that uses all of it, so that whatever is found is found in the file. */
function planted(path: string, text: string): Record<string, string> {
  return { [path]: `${text}\n`, 'scripts/user.ts': `import * as all from '../${path}';\nall;\n` };
}

function linesOf(lines: number): string {
  return Array.from({ length: lines }, (_, n) => `// Line ${n}.`).join('\n');
}

function functionOf(lines: number): string {
  return `export function a(): void {\n${'  a;\n'.repeat(lines - 2)}}`;
}

function sourcesOfTheTree(): Record<string, string> {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const paths = ['bin', 'functions', 'lib', 'scripts', 'test'].flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const sources = paths.filter((path) => /\.m?[jt]s$/.test(path));
  return Object.fromEntries(sources.map((path) => [path, readFileSync(`${root}${path}`, 'utf8')]));
}
