/**
 * Where a function's credentials come from: Lambda puts them into its environment. It stands in for the SDK's chain of a
 * dozen other sources, which would be a fifth of each bundle.
 */
export const defaultProvider = () => async () => {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
  if (accessKeyId && secretAccessKey)
    return { accessKeyId, secretAccessKey, sessionToken: process.env.AWS_SESSION_TOKEN };
  throw new Error('the environment holds no AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
};
