import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { BundledFile, BundledWorkflows } from '../../functions/environment.ts';
import { DeploymentProblem } from './deployment-problem.ts';

export type FunctionName = 'reconcile' | 'webhook' | 'turn-api' | 'turn-end';

/**
 * What the functions run: their bundles, with the workflows and the turn program beside them, so that code, policy and
 * turn program are deployed and rolled back together. Nothing is built in a container.
 */
export class FunctionCode {
  /** SHA-256 of the turn program's bytes, 64 hex digits. */
  readonly turnProgramSha256: string;
  readonly #bundles: string;
  readonly #workflows: BundledWorkflows;

  /** `bundles` is the folder that `npm run prepare` fills; by default that of this project. */
  constructor(workflows: BundledWorkflows, bundles = ownBundles) {
    this.#bundles = bundles;
    this.#workflows = workflows;
    this.turnProgramSha256 = createHash('sha256')
      .update(readFileSync(this.#find('turn.js')))
      .digest('hex');
  }

  /** The code of one function, handler `index.handler`. */
  of(name: FunctionName): Code {
    const bundle = this.#find(join('functions', name, 'index.mjs'));
    const tryBundle = (folder: string) => {
      copyFileSync(bundle, join(folder, 'index.mjs'));
      const workflows: BundledFile = 'workflows.json';
      const program: BundledFile = 'turn.mjs';
      if (name !== 'webhook') writeFileSync(join(folder, workflows), JSON.stringify(this.#workflows));
      if (name === 'turn-api') copyFileSync(this.#find('turn.js'), join(folder, program));
      return true;
    };
    return Code.fromAsset(join(bundle, '..'), {
      assetHashType: AssetHashType.OUTPUT,
      // The image is never used: bundling on this machine always succeeds or throws.
      bundling: { image: DockerImage.fromRegistry('none'), local: { tryBundle } },
    });
  }

  #find(file: string): string {
    const path = join(this.#bundles, file);
    if (!existsSync(path))
      throw new DeploymentProblem(`${path} is missing; run \`npm run prepare\` to build it.`);
    return path;
  }
}

const ownBundles = fileURLToPath(new URL('../../dist', import.meta.url));
