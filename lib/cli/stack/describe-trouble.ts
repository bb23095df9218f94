import { harmlessLine } from '../harmless-text.ts';

export interface StackPlace {
  readonly stack: string;
  readonly region: string | undefined;
  readonly profile: string | undefined;
  /** The ledger's table, once it is known, and whether the deployment uses it. */
  readonly table?: string | undefined;
  readonly isOwnTable?: boolean;
}

/**
 * What AWS answered as a sentence for whoever runs the command: which permission is missing, which credentials are
 * refused, what does not exist any more. Any other error is answered as it came.
 */
export function describeTrouble(error: unknown, place: StackPlace): unknown {
  if (!(error instanceof Error)) return error;
  // The ledger's errors name the service's own in their text and leave the rest of it behind.
  const text = harmlessLine(`${error.name}: ${error.message}`);
  const found = troubles.find(({ sign }) => sign.test(text));
  return found === undefined ? error : new Error(found.say(text, place));
}

interface Trouble {
  readonly sign: RegExp;
  readonly say: (text: string, place: StackPlace) => string;
}

const troubles: readonly Trouble[] = [
  { sign: /not authorized to perform|AccessDenied/, say: describeDenied },
  {
    sign: /the ledger did not answer: .*ResourceNotFoundException/,
    say: (_, { stack, table, isOwnTable }) =>
      isOwnTable === false
        ? `There is no table called ${harmlessLine(String(table))} in this account and region, or it is not ready yet: \`aws dynamodb wait table-exists --table-name NAME\` waits for it.`
        : `The ledger of the stack ${stack} is gone: its table ${table} does not exist any more. Turns that run go on and are known again; docs/operating.md, "The table is gone", says how to make it again.`,
  },
  {
    sign: /Region is missing/,
    say: () => 'No AWS region is known. Name one with --region, or set AWS_REGION.',
  },
  {
    sign: /CredentialsProviderError|TokenProviderError|Could not load credentials|CredentialsError/,
    say: (text, { profile }) =>
      `No AWS credentials were found${profile === undefined ? '' : ` for the profile ${harmlessLine(profile)}`} (${afterName(text)}). Log in with the AWS CLI, name a profile with --profile, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
  },
  {
    sign: /ExpiredToken|UnrecognizedClient|InvalidClientTokenId|InvalidSignature|SignatureDoesNotMatch|IncompleteSignature|InvalidAccessKeyId/,
    say: (text) =>
      `AWS refuses the credentials (${text}). Log in again, or name another profile with --profile.`,
  },
  {
    sign: /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|TimeoutError/,
    say: (text, { region }) =>
      `AWS does not answer${region === undefined ? '' : ` in ${harmlessLine(region)}`} (${text}). Ask again; if it stays, look at the name of the region and at this machine's network.`,
  },
];

function describeDenied(text: string): string {
  const [, action] = /not authorized to perform: ([\w-]+:\w+)/.exec(text) ?? [];
  const what = action === undefined ? 'something that this command needs' : action;
  return `The AWS credentials in use may not do ${what} (${text}). docs/asking-a-deployment.md lists what a reader needs.`;
}

function afterName(text: string): string {
  return text.replace(/^\w+: /, '');
}
