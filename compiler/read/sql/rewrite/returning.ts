/** The RETURNING clause that is added to a PostgreSQL UPDATE if the author did not write one and the rows are read. */
import { isLineComment } from '../lexer/token.js';
import { clauseOf, type SqlTree } from '../parse/tree.js';
import type { SqlPieces } from '../statement.js';

/** The clause to append to the statement `text`, matching its letter case, line breaks and indentation. */
export function returningClause(text: string, { tree, tokens }: SqlPieces): string {
  const last = tokens.findLast((token) => token.kind !== 'space' && token.text !== ';');
  const verb = tree.items[tree.main.verbItem]?.token.text ?? '';
  const isLower = verb === verb.toLowerCase();
  const clause = `${isLower ? 'returning' : 'RETURNING'} ${changedRows(tree)}`;
  if (!text.includes('\n') && !isLineComment(last)) return ` ${clause}`;
  return `\n${indentationOf(text, verb)}${clause}`;
}

/** `*`, or `item.*` if the statement also reads other tables, whose columns `*` would include. */
function changedRows({ main, items }: SqlTree): string {
  const hasOthers = (clauseOf(main, 'FROM') ?? clauseOf(main, 'USING')) !== undefined;
  const target = main.clauses[0]?.children[0];
  if (!hasOthers || main.verb === 'INSERT' || target?.kind !== 'table') return '*';
  const { alias, name } = target;
  const written = items.slice(alias ?? name.first, (alias ?? name.last) + 1).map(({ token }) => token.text);
  return `${written.join('')}.*`;
}

/** The indentation of the first line that begins with the verb, which may follow a WITH clause. */
function indentationOf(text: string, verb: string): string {
  const line = text.split('\n').find((candidate) => candidate.trimStart().startsWith(verb));
  return /^[ \t]*/.exec(line ?? '')?.[0] ?? '';
}
