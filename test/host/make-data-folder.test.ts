import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeDataFolder } from '../../lib/host/make-data-folder.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'made-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a data folder that is made is hidden from git', async () => {
  await makeDataFolder(join(root, 'data'));
  expect(readFileSync(join(root, 'data', '.gitignore'), 'utf8')).toBe('*\n');
});

test('so is one that a start was killed right after making', async () => {
  await makeDataFolder(root);
  expect(readFileSync(join(root, '.gitignore'), 'utf8')).toBe('*\n');
});

test('a folder with anything in it is left as it is', async () => {
  writeFileSync(join(root, 'mine'), '');
  await makeDataFolder(root);
  expect(existsSync(join(root, '.gitignore'))).toBe(false);
});

test('one that cannot be made is named, with what is in the way', async () => {
  writeFileSync(join(root, 'file'), '');
  await expect(makeDataFolder(join(root, 'file', 'data'))).rejects.toThrow(
    `The data folder ${join(root, 'file', 'data')} cannot be made or written: a part of its path is a file`,
  );
  await expect(makeDataFolder(join(root, 'file'))).rejects.toThrow('there is a file of that name');
});
