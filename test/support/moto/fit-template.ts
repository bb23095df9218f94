/** A template as far as it is rewritten here. */
export interface FittedTemplate {
  Resources: Record<string, FittedResource>;
  Outputs?: Record<string, unknown>;
  Parameters?: Record<string, unknown>;
  Rules?: unknown;
}

interface FittedResource {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template's properties have every shape.
  Properties?: Record<string, any>;
  DependsOn?: string | string[];
}

/**
 * Rewrites a template to what moto creates: a global table becomes a table, a container says how much memory it takes, what
 * moto does not know is left out, and so is what refers to it. Answers the types that were left out.
 */
export function fitTemplate(template: FittedTemplate, known: ReadonlySet<string>): readonly string[] {
  for (const resource of Object.values(template.Resources)) {
    fitTable(resource);
    fitTaskDefinition(resource);
  }
  const left = Object.entries(template.Resources).filter(([, { Type }]) => !known.has(Type));
  const replaced = new Map([
    ...busNames(template),
    ...left.map(([id]) => [id, `arn:aws:left-out:::${id}`] as const),
  ]);
  const gone = new Set(left.map(([id]) => id));
  for (const id of gone) delete template.Resources[id];
  for (const resource of Object.values(template.Resources)) {
    resource.DependsOn = [resource.DependsOn ?? []].flat().filter((id) => !gone.has(id));
    resource.Properties = withTexts(resource.Properties ?? {}, replaced) as FittedResource['Properties'];
  }
  const outputs = Object.entries(template.Outputs ?? {});
  template.Outputs = Object.fromEntries(outputs.filter(([, output]) => !refersTo(output, gone)));
  // It is read from a parameter that is not there, and an update trips over it.
  delete template.Parameters?.BootstrapVersion;
  delete template.Rules;
  return [...new Set(left.map(([, { Type }]) => Type))].sort();
}

function fitTable(resource: FittedResource): void {
  if (resource.Type !== 'AWS::DynamoDB::GlobalTable') return;
  const { AttributeDefinitions, KeySchema, BillingMode, Replicas } = resource.Properties ?? {};
  const { DeletionProtectionEnabled } = Replicas[0];
  resource.Type = 'AWS::DynamoDB::Table';
  resource.Properties = { AttributeDefinitions, KeySchema, BillingMode, DeletionProtectionEnabled };
}

/** It adds up what containers ask for, and fails over one that leaves that to its task. */
function fitTaskDefinition({ Type, Properties = {} }: FittedResource): void {
  if (Type !== 'AWS::ECS::TaskDefinition') return;
  for (const container of Properties.ContainerDefinitions) container.Memory ??= Number(Properties.Memory);
}

/** For the name of a bus moto gives the bus itself, which is no text. */
function busNames({ Resources }: FittedTemplate): readonly (readonly [id: string, name: string])[] {
  return Object.entries(Resources)
    .filter(([, { Type }]) => Type === 'AWS::Events::EventBus')
    .map(([id, { Properties }]) => [id, Properties?.Name]);
}

function withTexts(value: unknown, texts: ReadonlyMap<string, string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { Ref, 'Fn::GetAtt': attribute } = value as Reference;
  const text = texts.get(Ref ?? '') ?? texts.get(attribute?.[0] ?? '');
  // The attributes of what is there are its own.
  if (text !== undefined && (Ref !== undefined || text.startsWith('arn:'))) return text;
  if (Array.isArray(value)) return value.map((one) => withTexts(one, texts));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withTexts(one, texts)]));
}

function refersTo(value: unknown, gone: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { Ref, 'Fn::GetAtt': attribute } = value as Reference;
  if (gone.has(Ref ?? '') || gone.has(attribute?.[0] ?? '')) return true;
  return Object.values(value).some((one) => refersTo(one, gone));
}

interface Reference {
  readonly Ref?: string;
  readonly 'Fn::GetAtt'?: readonly string[];
}
