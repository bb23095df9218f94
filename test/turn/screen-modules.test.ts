import { expect, test } from 'vitest';
import { isUnfitModule } from '../../lib/turn/screen-modules.ts';

test.each([
  'submodule.m.url\n/etc',
  'submodule.m.url\nfile:///etc',
  'submodule.m.url\next::sh -c id',
  'submodule.m.url\na.b::x',
  'submodule.m.url\nsomewhere/else',
  'submodule.m.url\n-oProxyCommand=id',
  'submodule.m.url\nC:\\repository',
  'submodule.m.url\n',
  'submodule.m.update\n!id',
])('no submodule is delivered with the setting %j', (setting) => {
  expect(isUnfitModule(setting)).toBe(true);
});

test.each([
  'submodule.m.url\nhttps://example.com/m.git',
  'submodule.m.url\nssh://git@example.com:22/m.git',
  'submodule.m.url\ngit@example.com:a/m.git',
  'submodule.m.url\nexample.com:a/m.git',
  'submodule.m.url\n../m.git',
  'submodule.m.update\nrebase',
  'submodule.m.path\n/etc',
])('a submodule is delivered with the setting %j', (setting) => {
  expect(isUnfitModule(setting)).toBe(false);
});
