/** Finds code that no test reaches: whole functions, and blocks of reached functions. */
import { ts } from 'ts-morph';
import { sourcesBelow, type SourceFile } from '../project/sources.js';
import type { Reached } from './reached.js';
import { positionOf } from './source-positions.js';

export interface Unreached {
  readonly functions: readonly string[];
  readonly blocks: readonly string[];
  /** Numbers of all functions and blocks. */
  readonly totals: { readonly functions: number; readonly blocks: number };
}

export function unreachedIn(reached: Reached): Unreached {
  const found = { functions: [] as string[], blocks: [] as string[], totals: { functions: 0, blocks: 0 } };
  for (const source of [...sourcesBelow('compiler'), ...sourcesBelow('runtime')])
    look(source, reached, found);
  return found;
}

function look(
  { path, text }: SourceFile,
  reached: Reached,
  found: { functions: string[]; blocks: string[]; totals: { functions: number; blocks: number } },
): void {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const at = (offset: number): number => {
    const { line, character } = source.getLineAndCharacterOfPosition(offset);
    return positionOf(line, character);
  };
  const isReached = (node: ts.Node): boolean =>
    reached.between(path, at(node.getStart(source)), at(node.getEnd())) === true;
  const placeOf = (node: ts.Node): string =>
    `${path}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`;

  function visit(node: ts.Node): void {
    const body = bodyOf(node);
    if (body !== undefined && body.getChildCount(source) > 0) {
      found.totals.functions += 1;
      if (!isReached(body)) return void found.functions.push(`${placeOf(node)} ${nameOf(node)}`);
    } else if (isBranch(node)) {
      found.totals.blocks += 1;
      if (!isReached(node)) return void found.blocks.push(`${placeOf(node)} ${firstLine(node)}`);
    }
    node.forEachChild(visit);
  }

  function firstLine(node: ts.Node): string {
    const [first = node] = ts.isBlock(node) ? node.statements : [node];
    return first.getText(source).split('\n')[0] ?? '';
  }

  visit(source);
}

function bodyOf(node: ts.Node): ts.Node | undefined {
  if (!ts.isFunctionLike(node) || !('body' in node)) return undefined;
  const { body } = node as { readonly body?: ts.Node };
  if (body !== undefined && ts.isBlock(body) && body.statements.length === 0) return undefined;
  return body;
}

/** A statement or expression that is executed conditionally. */
function isBranch(node: ts.Node): boolean {
  const { parent } = node;
  if (node.kind === ts.SyntaxKind.SourceFile) return false;
  if (ts.isIfStatement(parent)) return parent.expression !== node;
  if (ts.isConditionalExpression(parent)) return node === parent.whenTrue || node === parent.whenFalse;
  if (ts.isCatchClause(parent)) return parent.block === node;
  return (ts.isCaseClause(node) || ts.isDefaultClause(node)) && node.statements.length > 0;
}

function nameOf(node: ts.Node): string {
  const { name } = node as { readonly name?: ts.Node };
  if (name !== undefined) return name.getText();
  if (ts.isVariableDeclaration(node.parent) || ts.isPropertyAssignment(node.parent))
    return node.parent.name.getText();
  return node.getText().split('\n')[0]?.slice(0, 80) ?? '';
}
