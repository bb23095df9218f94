import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface DescribedStack {
  readonly status: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly template: string;
}

/** What stacks there are, over HTTP, in the query protocol that its clients speak. */
export interface CloudformationServer {
  readonly endpoint: string;
  readonly stacks: Map<string, DescribedStack>;
  /** What calls of these names get instead of their answer. */
  readonly faults: Map<string, Fault>;
  readonly heard: { readonly call: string }[];
  stop(): Promise<void>;
}

type Fault = readonly [status: number, code: string, message: string];

export async function startCloudformation(): Promise<CloudformationServer> {
  const stacks = new Map<string, DescribedStack>();
  const faults = new Map<string, Fault>();
  const heard: { readonly call: string }[] = [];
  const server = createServer(async (request, response) => {
    const asked = new URLSearchParams(await text(request));
    const call = asked.get('Action') ?? '';
    const name = asked.get('StackName') ?? '';
    heard.push({ call });
    const stack = stacks.get(name);
    const send = (status: number, body: string) =>
      response.writeHead(status, { 'content-type': 'text/xml' }).end(body);
    const [status, code, message] = faults.get(call) ?? [];
    if (status !== undefined) return void send(status, fault(code!, message!));
    if (stack === undefined)
      return void send(400, fault('ValidationError', `Stack with id ${name} does not exist`));
    send(200, call === 'GetTemplate' ? templateAnswer(stack) : stackAnswer(name, stack));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stacks,
    faults,
    heard,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** How every service says that a permission is missing. */
export function notAllowed(service: string, call: string): string {
  return `User: arn:aws:iam::123456789012:user/reader is not authorized to perform: ${service}:${call} on resource: arn:aws:${service}:eu-west-1:123456789012:one because no identity-based policy allows the ${service}:${call} action`;
}

function stackAnswer(name: string, { status, outputs }: DescribedStack): string {
  const members = Object.entries(outputs).map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${escaped(value)}</OutputValue></member>`,
  );
  return answer(
    'DescribeStacks',
    `<Stacks><member><StackName>${name}</StackName><CreationTime>2026-11-29T00:00:00Z</CreationTime><StackStatus>${status}</StackStatus><Outputs>${members.join('')}</Outputs></member></Stacks>`,
  );
}

/** The service keeps ASCII only. */
function templateAnswer({ template }: DescribedStack): string {
  const kept = template.replace(/[^\n\t -~]/g, '?');
  return answer('GetTemplate', `<TemplateBody>${escaped(kept)}</TemplateBody>`);
}

function answer(call: string, result: string): string {
  return `<${call}Response xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><${call}Result>${result}</${call}Result></${call}Response>`;
}

function fault(code: string, message: string): string {
  return `<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${escaped(message)}</Message></Error></ErrorResponse>`;
}

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
