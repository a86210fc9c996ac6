/** Positions where MySQL and MariaDB accept a constant and not a parameter, or ignore a parameter. */
import { calledName } from '../facts/mysql-alternatives.js';
import { wrapped, type Placeholder, type SqlTree } from '../parse/tree.js';
import { spanOfNode, type SqlCheckContext } from './sql-check-context.js';

/** Functions with the argument, from 0, that must be a constant. */
const constantArguments: Readonly<Record<string, number>> = {
  EXTRACTVALUE: 1,
  UPDATEXML: 1,
  JSON_TABLE: 1,
  PERCENTILE_CONT: 0,
  PERCENTILE_DISC: 0,
};

const writeItself = 'Write the value itself, or one query for each value, each with its own `if`.';

/** Reports placeholders there; false after an error. */
export function checkConstants(context: SqlCheckContext, tree: SqlTree): boolean {
  if (context.dialect !== 'mysql') return true;
  let sound = true;
  for (const node of tree.nodes) {
    if (node.kind !== 'placeholder') continue;
    const span = spanOfNode(context, node, tree.items);
    const where = constantContext(node, tree);
    if (where !== undefined) {
      context.report.add('sql-constant-only', span, { where, hint: writeItself });
      sound = false;
    } else if (isQueryRow(node)) {
      const written = tree.items[node.first]?.token.text ?? '';
      context.report.add('sql-values-of-query', span, { written });
      sound = false;
    } else if (node.clause?.name === 'FRAME') context.report.add('sql-constant-frame', span);
  }
  return sound;
}

function constantContext(node: Placeholder, tree: SqlTree): string | undefined {
  if (node.clause?.name === 'SEPARATOR') return 'after SEPARATOR';
  const one = wrapped(node);
  const call = one.parent;
  if (call?.kind !== 'call') return undefined;
  const name = calledName(call, tree);
  const argument = Object.hasOwn(constantArguments, name) ? constantArguments[name] : undefined;
  const isThat = argument !== undefined && call.arguments[argument] === one;
  return isThat ? `in ${name.toLowerCase()}( … )` : undefined;
}

/** A whole column of a row of VALUES that is a query, `FROM (VALUES (…), (…))`, and stored by no INSERT. */
function isQueryRow({ parent, query }: Placeholder): boolean {
  const isRow =
    parent?.kind === 'parentheses' && parent.parent?.kind === 'clause' && parent.parent.name === 'VALUES';
  return isRow && query?.verb === 'VALUES';
}
