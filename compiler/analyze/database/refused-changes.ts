/**
 * Finds changes that PostgreSQL prepares but always refuses on execution: of materialized views, and ON CONFLICT without a matching key.
 */
import { identifier, nameText } from '../../read/sql/facts/server-names.js';
import { tableNames } from '../../read/sql/facts/table-names.js';
import { parseText } from '../../read/sql/parse/parse-text.js';
import { clauseOf, type Clause, type SqlTree } from '../../read/sql/parse/tree.js';
import type { Refusal } from '../../read/sql/statement-description.js';
import type { AskedStatement, KnownTable } from '../operations/statements/statement-descriptions.js';

/** `text` is the statement as sent. `tables` are all tables of the database, with their keys. */
export function refusalOnRun(
  text: string,
  { statement: { dialect, verb } }: Pick<AskedStatement, 'statement'>,
  tables: readonly KnownTable[],
): Refusal | undefined {
  if (dialect !== 'postgresql' || !/^(?:INSERT|UPDATE|DELETE|MERGE)$/.test(verb)) return undefined;
  const tree = parseText(text, dialect);
  const { writes } = tableNames({ dialect, pieces: { tree } });
  const materialized = tables.find(
    ({ name, isMaterialized }) => isMaterialized === true && writes.includes(name),
  );
  if (materialized !== undefined)
    return {
      message: `cannot change materialized view "${materialized.name}"`,
      hint: 'Change the tables that it is made of: REFRESH MATERIALIZED VIEW reads them again.',
      code: '42809',
    };
  return unmatchedConflict(tree, tables);
}

/** `ON CONFLICT (a)` without a unique constraint or index on exactly these columns. */
function unmatchedConflict(tree: SqlTree, tables: readonly KnownTable[]): Refusal | undefined {
  const conflict = clauseOf(tree.main, 'CONFLICT');
  const [target] = clauseOf(tree.main, 'INTO')?.children ?? [];
  const columns = conflict && columnsOf(conflict, tree);
  if (conflict === undefined || columns === undefined || target?.kind !== 'table') return undefined;
  const name = nameText(tree, target.name, 'postgresql');
  const table = tables.find((one) => one.name === name);
  if (table === undefined || table.query !== undefined || table.body !== undefined) return undefined;
  const { keys = [] } = table;
  const isSame = (key: readonly string[]): boolean =>
    key.length === columns.size && key.every((column) => columns.has(column));
  if (keys.some(isSame)) return undefined;
  const written = keys.map((key) => `(${key.join(', ')})`).join(', ');
  return {
    message: 'there is no unique or exclusion constraint matching the ON CONFLICT specification',
    hint:
      keys.length === 0
        ? `Add a unique constraint on these columns of '${name}', or remove ON CONFLICT: the table has no such constraint.`
        : `Write the columns of a key of '${name}', which has ${written}, or add a unique constraint on these.`,
    code: '42P10',
    at: tree.items[conflict.first]?.token.start ?? 0,
  };
}

/**
 * The columns of the conflict target; undefined for anything but plain columns: a constraint, an expression, the condition of a partial
 * index.
 */
function columnsOf({ children }: Clause, tree: SqlTree): ReadonlySet<string> | undefined {
  const [target, behind] = children;
  if (target?.kind !== 'parentheses' || (behind?.kind === 'clause' && behind.name === 'WHERE'))
    return undefined;
  const names = target.elements.map((element) => {
    const item =
      element.kind === 'name' && element.first === element.last ? tree.items[element.first] : undefined;
    return item && identifier(item, 'postgresql');
  });
  return names.includes(undefined) ? undefined : new Set(names.filter((name) => name !== undefined));
}
