/** Columns of one result with the same name: a row has each name once. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { hidingColumns } from '../../../read/sql/facts/result-columns.js';
import type { Description } from '../../../read/sql/statement-description.js';
import { rule } from '../rule.js';

export const sqlSameColumn = rule(
  {
    'sql-same-column': warning((p: { name: string }) => ({
      message: `Two columns of this result are named '${p.name}': only the last of them is in its rows.`,
      hint: `Name one of them with AS, such as AS other_${p.name}.`,
    })),
  },
  ({ analysis, report }) => ({
    statement: (statement) => {
      const { pieces, dialect, returnsRows } = statement;
      if (!returnsRows) return;
      const star = pieces.bounds.items.find(
        (item, index, items) =>
          item.word === '*' && items[index - 1]?.word === '.' && item.clause === 'SELECT',
      );
      const result = analysis.descriptions.of(statement)?.result;
      if (star !== undefined && result !== undefined && 'description' in result)
        for (const name of repeated(result.description, pieces.text.value))
          report('sql-same-column', pieces.text.spanOf(star.token.start, star.token.end), { name });
      for (const { name, first, last } of hidingColumns(pieces.bounds.items, pieces.verb, dialect))
        report('sql-same-column', pieces.text.spanOf(first.token.start, last.token.end), { name });
    },
  }),
);

/** Names of several columns; but for those that the statement compares with each other, of which either may be read. */
function repeated({ columns = [] }: Description, sql: string): string[] {
  const names = columns.map(({ name }) => name);
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].filter(
    (name) => !joinedColumns(sql).has(name.toLowerCase()),
  );
}

/** `a.id = b.id` */
function joinedColumns(sql: string): ReadonlySet<string> {
  const pairs = sql.toLowerCase().matchAll(/\.(\w+)\s*=\s*\w+\.(\w+)/g);
  return new Set(
    [...pairs].flatMap(([, left, right]) => (left !== undefined && left === right ? [left] : [])),
  );
}
