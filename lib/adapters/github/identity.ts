import { createPrivateKey } from 'node:crypto';

/** As whom a deployment comes to GitHub: as an App, whose private key is PEM, or by a person's token. */
export type GitHubIdentity =
  | AppIdentity
  | {
      readonly kind: 'token';
      readonly token: string;
      /** What turns may reach repositories with: a token of its own, because the other one may move cards. */
      readonly gitToken: string | undefined;
    };

export interface AppIdentity {
  readonly kind: 'app';
  readonly appId: string;
  readonly privateKey: string;
}

/** What was set is not enough or does not fit. */
export interface UnclearIdentity {
  readonly kind: 'unclear';
  /** Names what to mend, and shows no value. */
  readonly problem: string;
}

/** What says who a deployment is; missing and empty are the same. */
export interface IdentityValues {
  readonly appId?: string | undefined;
  readonly privateKey?: string | undefined;
  readonly token?: string | undefined;
  readonly gitToken?: string | undefined;
}

/** What these are called where a person sets them. */
export type IdentityNames = Readonly<Record<keyof IdentityValues, string>>;

/** Undefined where nothing says it. An App goes before a token. */
export function readIdentity(
  values: IdentityValues,
  names: IdentityNames,
): GitHubIdentity | UnclearIdentity | undefined {
  const [appId, privateKey, token, gitToken] = (['appId', 'privateKey', 'token', 'gitToken'] as const).map(
    (name) => values[name]?.trim() || undefined,
  );
  if (appId !== undefined || privateKey !== undefined) return readApp(appId, privateKey, names);
  return token === undefined ? undefined : { kind: 'token', token, gitToken };
}

function readApp(
  appId: string | undefined,
  privateKey: string | undefined,
  names: IdentityNames,
): AppIdentity | UnclearIdentity {
  if (appId === undefined)
    return unclear(`${names.privateKey} is set and ${names.appId} is not; set it to the App's id`);
  if (privateKey === undefined)
    return unclear(
      `${names.appId} is set and ${names.privateKey} is not; set it to a private key of the App`,
    );
  if (!/^[A-Za-z0-9._-]{1,100}$/.test(appId))
    return unclear(`${names.appId} is no id of an App; take the App ID or the Client ID from its settings`);
  const pem = readPem(privateKey);
  if (pem !== undefined) return { kind: 'app', appId, privateKey: pem };
  return unclear(
    `${names.privateKey} is no RSA private key; give the whole file that GitHub made, as it is or as its base64`,
  );
}

function unclear(problem: string): UnclearIdentity {
  return { kind: 'unclear', problem };
}

/** A key as PEM, also one whose line ends were escaped on their way here, or as the base64 of that. */
function readPem(text: string): string | undefined {
  const isPem = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
  const pem = isPem.test(text) ? text.replace(/\\n/g, '\n') : Buffer.from(text, 'base64').toString('latin1');
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType !== 'rsa') return undefined;
    return key.export({ type: 'pkcs8', format: 'pem' }).toString();
  } catch {
    return undefined;
  }
}
