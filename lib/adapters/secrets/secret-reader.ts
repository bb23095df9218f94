import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type * as z from 'zod';
import type { Clock } from '../../controller/ports.ts';

/** A secret whose value is JSON, read when it is first needed. */
export interface SecretReader<Value> {
  /** The value as it was read within the last 5 minutes, or later where it cannot be read now. Throws when it never could. */
  current(): Promise<Value>;
  /** What holds now, for whoever met something that does not fit; the store is asked at most every 30 seconds. */
  renewed(): Promise<Value>;
}

export interface SecretReaderOptions<Value> {
  readonly client: SecretsManagerClient;
  /** ARN or name. */
  readonly secret: string;
  readonly schema: z.ZodType<Value>;
  readonly clock: Clock;
  /** Hears why it could not be read, each time; nothing of its value. Without it, who goes on with an older value would not know. */
  readonly onTrouble?: (problem: string) => void;
}

const keepMs = 300_000;
const renewAtMostEveryMs = 30_000;

export function secretReader<Value>(options: SecretReaderOptions<Value>): SecretReader<Value> {
  const { clock } = options;
  let known: { readonly value: Value; readonly at: number } | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<Value> | undefined;

  async function read(): Promise<Value> {
    askedAt = clock.now();
    try {
      const value = await fetchValue(options);
      known = { value, at: askedAt };
      return value;
    } catch (error) {
      options.onTrouble?.((error as Error).message);
      if (known === undefined) throw error;
      return known.value;
    } finally {
      reading = undefined;
    }
  }

  function readOnce(): Promise<Value> {
    reading ??= read();
    return reading;
  }

  /** Also a failure is not repeated at once, where there is a value to go on with. */
  const isRecent = (ms: number) => clock.now() - askedAt < ms;

  return {
    current: async () => {
      const isFresh =
        known !== undefined && (clock.now() - known.at < keepMs || isRecent(renewAtMostEveryMs));
      return known !== undefined && isFresh ? known.value : readOnce();
    },
    renewed: async () =>
      known !== undefined && reading === undefined && isRecent(renewAtMostEveryMs) ? known.value : readOnce(),
  };
}

/** A client that gives up early; region and credentials come from the environment. */
export function secretsClient(): SecretsManagerClient {
  return new SecretsManagerClient({
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
  });
}

/** What is wrong with a value is said by the names of its fields alone. */
async function fetchValue<Value>({ client, secret, schema }: SecretReaderOptions<Value>): Promise<Value> {
  const { SecretString: text } = await client.send(new GetSecretValueCommand({ SecretId: secret }));
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'its value'}: ${message}`,
  );
  throw new Error(`the secret ${secret} cannot be used: ${problems.join('; ')}`);
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
