import ts from 'typescript';
import { type SourceFacts, walk } from './source-facts.ts';

/** Names of the world outside: whoever reads them is no longer a function of its arguments. */
const worldly = new Set([
  ...[
    'process',
    'console',
    'fetch',
    'globalThis',
    'global',
    'performance',
    'crypto',
    'navigator',
    'require',
    'Promise',
  ],
  ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'Date', 'Math'],
]);

/** Everything in the file that is asynchronous, or reads a clock, chance or the process. */
export function impuritiesOf({ node: source }: SourceFacts): string[] {
  const found = new Set<string>();
  walk(source, (node) => {
    if (node.kind === ts.SyntaxKind.AsyncKeyword) found.add('async');
    if (ts.isAwaitExpression(node)) found.add('await');
    if (node.kind === ts.SyntaxKind.ImportKeyword && ts.isCallExpression(node.parent)) found.add('import()');
    if (ts.isMetaProperty(node)) found.add(node.getText());
    if (ts.isIdentifier(node) && worldly.has(node.text) && !isOnlyAName(node) && !isHarmlessUse(node)) {
      found.add(ts.isPropertyAccessExpression(node.parent) ? node.parent.getText() : node.text);
    }
    if (ts.isImportDeclaration(node) && namesNode(node) && !isCreateHash(node)) found.add(node.getText());
  });
  return [...found];
}

/** The name of a property or a field, which stands for something of our own. */
function isOnlyAName(node: ts.Identifier): boolean {
  const { parent } = node;
  const isRead = ts.isVariableDeclaration(parent) || ts.isShorthandPropertyAssignment(parent);
  return !isRead && (parent as { readonly name?: ts.Node }).name === node;
}

/** `Math.max` and `new Date(given)` are functions of what they are given; `Math.random` and `new Date()` are not. */
function isHarmlessUse({ text, parent }: ts.Identifier): boolean {
  const property = ts.isPropertyAccessExpression(parent) ? parent.name.text : undefined;
  if (text === 'Math') return property !== undefined && property !== 'random';
  if (text !== 'Date') return false;
  const isGiven = ts.isNewExpression(parent) && (parent.arguments?.length ?? 0) > 0;
  return isGiven || property === 'parse' || property === 'UTC' || ts.isTypeReferenceNode(parent);
}

function namesNode(node: ts.ImportDeclaration): boolean {
  return ts.isStringLiteral(node.moduleSpecifier) && node.moduleSpecifier.text.startsWith('node:');
}

function isCreateHash(node: ts.ImportDeclaration): boolean {
  return /^import \{ createHash \} from 'node:crypto';$/.test(node.getText());
}
