import type { IssueId } from '../../lib/core/issue.ts';
import { type MemoryTrackerOptions, memoryTracker } from '../support/memory-tracker.ts';
import { describeTracker } from './describe-tracker.ts';
import { boardStates, finalStates, type TrackerWorld } from './tracker-world.ts';

const variants: Readonly<Record<string, MemoryTrackerOptions>> = {
  'the board in memory': {},
  'the board in memory without compare-and-set': { compareAndSet: false },
  'the board in memory with a separate field for closing': { separateFields: true },
  'the board in memory without a record of moves': { keepsMoves: false },
  'the board in memory with a price': { isPriced: true },
};

for (const [name, options] of Object.entries(variants)) {
  describeTracker(name, async () =>
    makeWorld({ ...options, states: boardStates, closingStates: finalStates }),
  );
}

function makeWorld(options: MemoryTrackerOptions): TrackerWorld {
  const tracker = memoryTracker(options);
  const { person, seen, faults } = tracker;
  return {
    tracker,
    comparesAndSets: options.compareAndSet ?? true,
    keepsMoves: options.keepsMoves ?? true,
    add: async (fields) => {
      person.add(fields);
      return (fields.id ?? fields.key) as IssueId;
    },
    move: async (id, to) => person.move(id, to),
    close: async (id) => person.close(id),
    edit: async (id) => person.edit(id, { description: 'Something else.' }),
    remove: async (id) => person.delete(id),
    spoil: async (id, how) => person.break(id, 'it is spoilt', how === 'conflicting-states'),
    limit: options.isPriced ? async () => tracker.limit(Date.now() + 60_000) : undefined,
    breakDown: async () => {
      for (const call of ['states', 'list', 'count', 'read', 'readMany'] as const) faults.fail(call, 100);
    },
    stateOf: async (id) => seen.stateOf(id),
    restOf: async (id) => JSON.stringify({ ...seen.issue(id), state: '', movedBy: '' }),
    commentsOf: async (id) => seen.comments(id),
    dispose: async () => undefined,
  };
}
