import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll } from 'vitest';
import { Evenkeel, type EvenkeelProps } from '../../lib/stack/evenkeel.ts';

/** What a file of tests synthesises; gone with it. */
const folder = mkdtempSync(join(tmpdir(), 'evenkeel-stack-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A resource as a template has it. */
export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template's properties have every shape.
  readonly Properties: Readonly<Record<string, any>>;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
}

/** A workflow file for a board that can be deployed, with the given front matter in its place. */
export function deployableWorkflow(front: { tracker?: object; agent?: object; [key: string]: unknown } = {}) {
  const values = {
    ...front,
    tracker: { kind: 'github', project: 'acme/web', ...front.tracker },
    agent: { kind: 'command', command: 'true', ...front.agent },
  };
  return { source: 'WORKFLOW.md', text: `---\n${JSON.stringify(values)}\n---\nWork on {{ issue.key }}.\n` };
}

/** What `npm run prepare` makes, as far as a template needs it, so that templates can be tested without it. */
export function stubBundles(): string {
  const bundles = mkdtempSync(join(folder, 'bundles-'));
  for (const name of ['reconcile', 'webhook', 'turn-api', 'turn-end']) {
    mkdirSync(join(bundles, 'functions', name), { recursive: true });
    writeFileSync(join(bundles, 'functions', name, 'index.mjs'), `export const handler = () => '${name}';\n`);
  }
  writeFileSync(join(bundles, 'turn.js'), 'console.log("a turn");\n');
  return bundles;
}

/** A deployment in a stack of its own, over stub bundles. */
export function evenkeelStack(props: Partial<EvenkeelProps> = {}): Stack {
  const stack = new Stack(
    new App({ outdir: mkdtempSync(join(folder, 'cdk.out-')), builtinCloudFormationValidation: false }),
    'Keel',
  );
  new Evenkeel(stack, 'Evenkeel', { workflows: [deployableWorkflow()], bundles: stubBundles(), ...props });
  return stack;
}

export function templateOf(stack: Stack): Template {
  return Template.fromStack(stack);
}

/** The only one of its type. */
export function resourceOf(template: Template, type: string): Resource & { readonly id: string } {
  const [one, ...more] = resourcesOf(template, type);
  if (one === undefined || more.length > 0)
    throw new Error(`there are ${more.length + 1} or none of ${type}`);
  return one;
}

export function resourcesOf(
  template: Template,
  type: string,
): readonly (Resource & { readonly id: string })[] {
  const found = template.findResources(type) as Record<string, Resource>;
  return Object.entries(found).map(([id, resource]) => ({ id, ...resource }));
}
