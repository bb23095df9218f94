import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { IssueId } from '../../../lib/core/issue.ts';
import { type LabelWorld, makeLabelWorld } from '../../support/github/label-world.ts';
import { makeProjectWorld, type ProjectWorld } from '../../support/github/project-world.ts';

describe.each(['labels', 'project'] as const)('an issue on a board of kind %s', (kind) => {
  let world: LabelWorld | ProjectWorld;
  let id: IssueId;
  beforeEach(async () => {
    world = await (kind === 'labels' ? makeLabelWorld() : makeProjectWorld());
    id = await world.add({ key: 'A-1', state: 'Backlog' });
  });
  afterEach(() => world.dispose());
  const named = () => {
    const { number, repository } = world.issue(id);
    return { number, name: repository.name, full: `${repository.owner}/${repository.name}` };
  };

  test('is found by its key, by its whole name and in any case, and closed as well', async () => {
    const { number, name, full } = named();
    await world.close(id);
    for (const key of [`${name}#${number}`, `${full}#${number}`, ` ${full.toUpperCase()}#${number} `])
      expect(await world.tracker.find(key)).toBe(id);
  });

  test('is not taken for one of another repository, nor for what is no number', async () => {
    const { number, full } = named();
    for (const key of [
      `other#${number}`,
      `other/${full}#${number}`,
      `${full}#0${number}`,
      'web',
      '',
      '#',
      '-1',
    ])
      expect(await world.tracker.find(key)).toBeUndefined();
  });

  test('costs one request, and none where the key can be no issue of the board', async () => {
    const { number, name } = named();
    const before = world.server.log.length;
    await world.tracker.find('ENG-7');
    expect(world.server.log).toHaveLength(before);
    await world.tracker.find(`${name}#${number}`);
    expect(world.server.log.slice(before)).toMatchObject([{ operation: 'FindIssue', points: 1 }]);
  });

  test('cannot be told where the tracker does not answer', async () => {
    const { number, name } = named();
    await world.breakDown();
    await expect(world.tracker.find(`${name}#${number}`)).rejects.toThrow();
  });
});

test('a pull request is no issue, and an issue that is not on the project is not on the board', async () => {
  const labels = await makeLabelWorld();
  try {
    const pull = labels.server.state.addIssue(labels.repository, labels.server.state.account('alice'), {
      isPullRequest: true,
    });
    expect(await labels.tracker.find(`#${pull.number}`)).toBeUndefined();
  } finally {
    await labels.dispose();
  }
  const project = await makeProjectWorld();
  try {
    const id = await project.add({ key: 'A-1', state: 'Todo' });
    const { repository } = project.issue(id);
    const beside = project.server.state.addIssue(repository, project.server.state.account('alice'));
    expect(await project.tracker.find(`${repository.name}#${beside.number}`)).toBeUndefined();
  } finally {
    await project.dispose();
  }
});
