import { boardMutants, rareMutants } from './board-mutants.ts';
import { leaseMutants } from './lease-mutants.ts';
import type { Mutant } from './mutant.ts';
import { planMutants } from './plan-mutants.ts';

/** Every rule that is taken out once, to see that the search notices. */
export const mutants: readonly Mutant[] = [...leaseMutants, ...boardMutants, ...planMutants];

export function mutantNamed(name: string): Mutant {
  const found = [...mutants, ...rareMutants].find((one) => one.name === name);
  if (found === undefined)
    throw new Error(`there is no mutant '${name}'; there are: ${mutants.map((one) => one.name).join(', ')}`);
  return found;
}
