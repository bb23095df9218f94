import { posix } from 'node:path';
import ts from 'typescript';
import { importRuleFor } from './import-rules.ts';
import { impuritiesOf } from './purity.ts';
import { unreachableFrom, unusedExports } from './reachability.ts';
import { readSource, type SourceFacts, walk } from './source-facts.ts';

const maxFileLines = 250;
/** Tables of cases read better whole than split. */
const maxTestLines = 500;
const maxFunctionLines = 70;

/** Checks the sources, given as path and text, against the architecture's rules: one line for each violation. */
export function checkArchitecture(sources: Readonly<Record<string, string>>): string[] {
  const files = Object.entries(sources).map(([path, text]) => readSource(path, text));
  const found = files.flatMap((file) =>
    Object.entries(rulesOfAFile).flatMap(([rule, broken]) =>
      broken(file).map((what) => `${file.path}: ${rule}: ${what}`),
    ),
  );
  const reached = [
    ...unreachableFrom(files).map((path) => `${path}: reachable: no entry leads to this file`),
    ...unusedExports(files).map(({ path, name }) => `${path}: used-export: nobody imports ${name}`),
  ];
  return [...found, ...reached].sort();
}

const rulesOfAFile: Readonly<Record<string, (file: SourceFacts) => readonly string[]>> = {
  imports: forbiddenImports,
  pure: (file) => (isUnder(file, 'lib/core/') ? impuritiesOf(file) : []),
  'vendor-words': vendorWords,
  'file-length': tooLong,
  'function-length': longFunctions,
  barrel: ({ onlyReExports }) => (onlyReExports ? ['only re-exports; import from where it is made'] : []),
  'default-export': ({ hasDefaultExport }) => (hasDefaultExport ? ['name what is exported'] : []),
  naming: badNames,
  'module-mock': moduleMocks,
};

function tooLong({ path, lines }: SourceFacts): string[] {
  const most = /\.test\.ts$|^test\/contracts\//.test(path) ? maxTestLines : maxFileLines;
  return lines > most ? [`${lines} lines, at most ${most}`] : [];
}

function forbiddenImports({ path, imports }: SourceFacts): string[] {
  const rule = importRuleFor(path);
  if (rule === undefined) return ['no import rule covers this file'];
  const any = (patterns: readonly RegExp[] | undefined, target: string) =>
    (patterns ?? []).some((pattern) => pattern.test(target));
  const isAllowed = ({ target, typeOnly }: SourceFacts['imports'][number]) =>
    (any(rule.values, target) && !any(rule.except, target)) || (typeOnly && any(rule.types, target));
  return imports
    .filter((one) => !isAllowed(one))
    .map(({ target, typeOnly }) =>
      !typeOnly && any(rule.types, target) ? `${target} (types only)` : target,
    );
}

/** Core and controller know boards and runners, not who makes them; the schema lists the kinds and says what they mean. */
function vendorWords({ path, text }: SourceFacts): string[] {
  if (!/^lib\/(core|controller)\//.test(path) || path === 'lib/core/workflow-schema.ts') return [];
  const words = text.match(/github|linear|dynamodb|fargate|\becs\b/gi) ?? [];
  return [...new Set(words.map((word) => word.toLowerCase()))];
}

/** A group of tests is a list, however long. */
function longFunctions({ functions }: SourceFacts): string[] {
  return functions
    .filter(({ lines, isTestGroup }) => lines > maxFunctionLines && !isTestGroup)
    .map(({ name, lines }) => `${name} has ${lines} lines, at most ${maxFunctionLines}`);
}

function badNames({ path }: SourceFacts): string[] {
  const folders = path.split('/').slice(0, -1);
  const name = posix.basename(path);
  const isKebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.(contract\.)?test|\.d)?\.m?[jt]s$/.test(name);
  return [
    ...(isKebab ? [] : [`${name} is not in kebab-case`]),
    ...folders
      .filter((folder) => /^(utils?|shared|helpers?|common)$/.test(folder))
      .map((folder) => `folder ${folder} names no concept`),
    ...folders
      .filter((folder) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(folder))
      .map((folder) => `folder ${folder} is not in kebab-case`),
    ...(/^(types|utils?|helpers?)\.ts$/.test(name) ? [`${name} names no concept`] : []),
  ];
}

function moduleMocks({ node: source }: SourceFacts): string[] {
  const found: string[] = [];
  walk(source, (node) => {
    if (ts.isPropertyAccessExpression(node) && /^vi\.(do)?[mM]ock$/.test(node.getText()))
      found.push(node.getText());
  });
  return found;
}

function isUnder({ path }: SourceFacts, folder: string): boolean {
  return path.startsWith(folder);
}
