import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AskedStack, askedStack, type KnownIssue } from '../../support/aws/asked-stack.ts';
import { aSettlement } from '../../support/ledger-records.ts';

interface Statement {
  readonly Action: readonly string[];
}

/** The policies that the page gives: what a reader needs, and what whoever changes something needs as well. */
function policiesOfPage(): readonly [reading: readonly string[], changing: readonly string[]] {
  const page = readFileSync('docs/asking-a-deployment.md', 'utf8');
  const [reading, changing] = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json]) =>
    JSON.parse(json!),
  );
  return [
    (reading.Statement as readonly Statement[]).flatMap(({ Action }) => Action).sort(),
    (changing as Statement).Action,
  ];
}

let asked: AskedStack;
let issue: KnownIssue;
beforeEach(async () => {
  asked = await askedStack();
  await asked.openLedger();
  issue = await asked.addIssue();
});
afterEach(() => asked.dispose());

/** What these commands ask of AWS, as the names of permissions. */
async function permissionsOf(...commands: readonly (readonly string[])[]): Promise<readonly string[]> {
  const heardOf = (service: string, heard: readonly string[]) => {
    const from = heard.length;
    return () => heard.slice(from).map((call) => `${service}:${call}`);
  };
  const { cloudformation, dynalite, tasks, logs, alarms } = asked;
  const before = [cloudformation, tasks, logs, alarms].map(({ heard }) => heard.length);
  const dynamodb = heardOf('dynamodb', dynalite.heard);
  for (const args of commands)
    expect(await asked.runHere([...args, '--stack', 'keel']), args.join(' ')).toMatchObject({ code: 0 });
  const others = Object.entries({ cloudformation, ecs: tasks, logs, cloudwatch: alarms }).flatMap(
    ([service, { heard }], at) => heard.slice(before[at]).map(({ call }) => `${service}:${call}`),
  );
  return [...new Set([...others, ...dynamodb()])].sort();
}

test('the page on asking a deployment names what the reading commands ask of AWS, and nothing else', async () => {
  const { id: issueId, key } = issue;
  await asked.ledger.putHistory(aSettlement({ board: asked.board, issueId, key }));
  await asked.runTurn(issue);
  const [reading] = policiesOfPage();
  expect(await permissionsOf(['status'], ['plan'], ['explain', key], ['history'], ['logs', key])).toEqual(
    reading,
  );
});

test('and what the others ask beside that', async () => {
  const [reading, changing] = policiesOfPage();
  const renewing = ['bootstrap', '--restored'];
  const needed = await permissionsOf(['pause'], ['resume'], renewing, [...renewing, '--yes']);
  expect(needed.filter((one) => !reading.includes(one))).toEqual(changing);
});
