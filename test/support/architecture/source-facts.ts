import { posix } from 'node:path';
import ts from 'typescript';

export interface Import {
  /** A path from the repository's root, or a package's name. */
  readonly target: string;
  /** Whether nothing of it is left when types are erased. */
  readonly typeOnly: boolean;
  /** The imported names; `*` for all of them. */
  readonly names: readonly string[];
}

/** What the architecture's rules need to know of one file. */
export interface SourceFacts {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  readonly exportedValues: readonly string[];
  readonly hasDefaultExport: boolean;
  readonly onlyReExports: boolean;
  readonly functions: readonly {
    readonly name: string;
    readonly lines: number;
    readonly isTestGroup: boolean;
  }[];
  /** The syntax tree, for the rules that ask for more. */
  readonly node: ts.SourceFile;
}

/** Reads the facts out of the syntax tree; nothing is resolved and nothing is run. */
export function readSource(path: string, text: string): SourceFacts {
  const node = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return {
    path,
    text,
    lines: text.replace(/\n$/, '').split('\n').length,
    imports: importsOf(node),
    exportedValues: node.statements.flatMap(exportedValuesOf),
    hasDefaultExport: node.statements.some(isDefaultExport),
    onlyReExports: isBarrel(node),
    functions: functionsOf(node),
    node,
  };
}

/** Calls `visit` for the node and all below it, parents first. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

function importsOf(source: ts.SourceFile): Import[] {
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean, names: readonly string[]) => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const name = specifier.text;
    const target = name.startsWith('.') ? posix.join(posix.dirname(source.fileName), name) : name;
    found.push({ target, typeOnly, names });
  };
  walk(source, (node) => {
    if (ts.isImportDeclaration(node)) {
      const clause = node.importClause;
      const typeOnly = clause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
      add(node.moduleSpecifier, typeOnly, namesOfClause(clause));
    } else if (ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, node.isTypeOnly, namesOfBindings(node.exportClause));
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, true, ['*']);
    } else if ((ts.isCallExpression(node) || ts.isNewExpression(node)) && loadsFile(node)) {
      add(node.arguments?.[0], false, ['*']);
    }
  });
  return found;
}

function namesOfClause(clause: ts.ImportClause | undefined): string[] {
  if (clause === undefined) return [];
  return [...(clause.name === undefined ? [] : ['default']), ...namesOfBindings(clause.namedBindings)];
}

function namesOfBindings(bindings: ts.NamedImportBindings | ts.NamedExportBindings | undefined): string[] {
  if (bindings === undefined || !('elements' in bindings)) return ['*'];
  return bindings.elements.map((element) => (element.propertyName ?? element.name).text);
}

/** `import()`, `require()`, and the address of a file of our own, from which a thread or a process is started. */
function loadsFile({ expression, arguments: given }: ts.CallExpression | ts.NewExpression): boolean {
  if (expression.kind === ts.SyntaxKind.ImportKeyword || expression.getText() === 'require') return true;
  return (
    expression.getText() === 'URL' && given?.[1]?.getText() === 'import.meta.url' && isSourceName(given[0])
  );
}

function isSourceName(node: ts.Node | undefined): boolean {
  return node !== undefined && ts.isStringLiteral(node) && /^\..*\.[jt]s$/.test(node.text);
}

function exportedValuesOf(statement: ts.Statement): string[] {
  if (!hasModifier(statement, ts.SyntaxKind.ExportKeyword)) return [];
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map((declaration) => declaration.name.getText());
  }
  const isValue = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
  return isValue && statement.name !== undefined ? [statement.name.text] : [];
}

function isDefaultExport(statement: ts.Statement): boolean {
  return (
    ts.isExportAssignment(statement) ||
    hasModifier(statement, ts.SyntaxKind.DefaultKeyword) ||
    (ts.isExportDeclaration(statement) && /\bdefault\b/.test(statement.exportClause?.getText() ?? ''))
  );
}

function hasModifier(node: ts.Node, kind: ts.SyntaxKind): boolean {
  return (
    ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some((modifier) => modifier.kind === kind)
  );
}

/** A file with exports and no declaration of its own. */
function isBarrel({ statements }: ts.SourceFile): boolean {
  return (
    statements.some(
      (statement) => ts.isExportDeclaration(statement) && statement.exportClause?.getText() !== '{}',
    ) &&
    statements.every((statement) => ts.isExportDeclaration(statement) || ts.isImportDeclaration(statement))
  );
}

function functionsOf(source: ts.SourceFile): SourceFacts['functions'][number][] {
  const found: SourceFacts['functions'][number][] = [];
  walk(source, (node) => {
    if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return;
    const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
    const last = source.getLineAndCharacterOfPosition(node.getEnd()).line;
    const name = nameOf(node);
    found.push({ name, lines: last - first + 1, isTestGroup: /^describe/.test(name) });
  });
  return found;
}

/** Its own name, or that of what holds it: the variable, the property, the function it is given to. */
function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name !== undefined) return node.name.getText();
  const { parent } = node;
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) return parent.name.getText();
  if (ts.isCallExpression(parent)) return parent.expression.getText();
  return 'a function without a name';
}
