import { type DocumentNode, execute, type GraphQLFormattedError, validate } from 'graphql';
import { githubSchema } from './github-schema.ts';
import { priceQuery } from './price-query.ts';

export interface Answered {
  readonly status: number;
  readonly json: unknown;
  readonly points: number;
  readonly nodes: number;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Question {
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Refuses what the schema does not have, then what the quota does not cover; answers the rest and takes its price. */
export async function answerGraphql(
  { document, variables }: Question,
  root: Readonly<Record<string, unknown>>,
  quota: { limit: number; remaining: number; resetAt: number },
): Promise<Answered> {
  const problems = validate(githubSchema(), document);
  if (problems.length > 0) return { status: 200, json: { errors: problems }, points: 0, nodes: 0 };
  const price = priceQuery(githubSchema(), document, variables);
  if (quota.remaining < price.points) {
    const errors = [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }];
    return { status: 200, json: { errors }, points: 0, nodes: 0 };
  }
  quota.remaining -= price.points;
  const { data, errors } = await execute({
    schema: githubSchema(),
    document,
    rootValue: { ...root, rateLimit: { ...quota, cost: price.points } },
    variableValues: variables,
  });
  const told = errors && { errors: errors.map((error) => typeOf(error.toJSON())) };
  return { status: 200, json: { data, ...told }, ...price };
}

/** GitHub puts the type of an error beside its message. */
function typeOf({ extensions, ...error }: GraphQLFormattedError): object {
  return { ...error, ...(extensions?.type === undefined ? {} : { type: extensions.type }) };
}
