/**
 * `npm run bench`. Absolute times belong to the machine at that moment; what may be compared between runs and machines are
 * the ratios, which are taken within one run.
 */
import { benchIdleMemory } from './idle-memory.ts';
import { benchIdleTick } from './idle-tick.ts';
import { benchPlanGrowth } from './plan-growth.ts';

benchPlanGrowth();
await benchIdleTick();
await benchIdleMemory();
