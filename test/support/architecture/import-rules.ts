/** What the files under a path may import. */
export interface ImportRule {
  readonly under: string;
  readonly values: readonly RegExp[];
  /** May be named by `import type` only. */
  readonly types?: readonly RegExp[];
  /** Taken away from `values` again. */
  readonly except?: readonly RegExp[];
}

const core = /^lib\/core\//;
const controller = /^lib\/controller\//;
const adapters = /^lib\/adapters\//;
const functions = /^functions\//;
const node = /^node:/;
const zod = /^zod$/;
const anyPackage = /^(?!(lib|bin|functions|scripts|test)\/)/;
const cdk = /^(aws-cdk-lib|constructs|cdk-nag)(\/|$)/;
const awsSdk = /^@(aws-sdk|smithy)\//;
const trackerSdk = /^@(octokit|linear)\//;
const ofLambda = /^(@middy\/|@aws-lambda-powertools\/|aws-lambda$)/;

/** The packages of the outside thing that each adapter talks to. */
const sdkOfAdapter: Readonly<Record<string, RegExp>> = {
  github: /^(@octokit\/|universal-github-app-jwt$)/,
  linear: /^@linear\/sdk/,
  'local-board': /^yaml$/,
  cloudformation: /^@aws-sdk\/client-cloudformation$/,
  dynamodb: /^@aws-sdk\/(client-dynamodb|lib-dynamodb|util-dynamodb)$/,
  fargate: /^@aws-sdk\/client-ecs$/,
  'local-process': /^execa$/,
  eventbridge: /^@aws-sdk\/client-eventbridge$/,
  cloudwatch: /^@aws-sdk\/client-cloudwatch(-logs)?$/,
  s3: /^@aws-sdk\/(client-s3|s3-request-presigner)$/,
  secrets: /^@aws-sdk\/client-secrets-manager$/,
  // Time, chance and the files beside the program: Node itself is the outside thing.
  runtime: /^node:/,
};

/** The most specific path counts. A file under none of them is a violation. */
export const importRules: readonly ImportRule[] = [
  { under: 'lib/core/', values: [core, zod, /^yaml$/, /^liquidjs$/, /^node:crypto$/] },
  { under: 'lib/controller/', values: [core, controller] },
  ...Object.entries(sdkOfAdapter).map(([name, sdk]) => adapterRule(`lib/adapters/${name}/`, [sdk])),
  { under: 'functions/', values: [core, controller, adapters, functions, zod, ofLambda] },
  {
    under: 'lib/stack/',
    values: [
      /^lib\/stack\//,
      core,
      cdk,
      zod,
      /^node:(fs|path|url|crypto)$/,
      /^lib\/adapters\/dynamodb\/table\.ts$/,
      /^lib\/adapters\/s3\/work-prefix\.ts$/,
    ],
    types: [/^functions\/environment\.ts$/, /^lib\/adapters\/cloudformation\/deployment-facts\.ts$/],
  },
  serving('lib/host/', [/^lib\/host\//]),
  serving('lib/cli/', [/^lib\/host\//, /^lib\/cli\//]),
  serving('bin/evenkeel.ts', [/^lib\/host\//, /^lib\/cli\//]),
  running('lib/turn/'),
  running('bin/turn.ts'),
  { under: 'bin/app.ts', values: [/^lib\/stack\//, core, cdk, node] },
  { under: 'scripts/', values: [/./] },
  { under: 'test/', values: [/./] },
];

export function importRuleFor(path: string): ImportRule | undefined {
  return importRules
    .filter((rule) => path.startsWith(rule.under))
    .reduce<ImportRule | undefined>(
      (a, b) => (a !== undefined && a.under.length > b.under.length ? a : b),
      undefined,
    );
}

function adapterRule(under: string, sdk: readonly RegExp[]): ImportRule {
  return {
    under,
    values: [core, new RegExp(`^${under}`), zod, node, ...sdk],
    types: [/^lib\/controller\/ports\.ts$/],
  };
}

/** The host and the command line wire adapters together; they talk to no vendor themselves. */
function serving(under: string, own: readonly RegExp[]): ImportRule {
  return {
    under,
    values: [core, controller, adapters, functions, ...own, anyPackage],
    except: [cdk, awsSdk, trackerSdk],
  };
}

/** The turn program holds no credential, so it has no use for an SDK that would take one. */
function running(under: string): ImportRule {
  return {
    under,
    values: [core, /^lib\/turn\//, anyPackage],
    except: [cdk, awsSdk, trackerSdk, ofLambda, /^dynalite$/, /^classic-level$/],
  };
}
