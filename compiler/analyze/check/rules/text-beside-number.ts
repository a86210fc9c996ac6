/** On MySQL and MariaDB: a value that may be a text, where the other alternatives of COALESCE, IF, CASE … are numbers. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Expression } from '../../../read/expression/ast.js';
import { printExpression } from '../../../read/expression/print-expression.js';
import type { SqlStatement } from '../../../read/sql/statement.js';
import { tableNames } from '../../../read/sql/facts/table-names.js';
import { bareName } from '../../../read/sql/facts/written-columns.js';
import type { KnownTable } from '../../operations/statement-descriptions.js';
import { rule } from '../rule.js';

export const textBesideNumber = rule(
  {
    'text-beside-number': warning((p: { written: string; placeholder: string }) => ({
      message: `${p.written} may be a string, and the other values are numbers: MySQL and MariaDB then compare and return strings.`,
      hint: `Write CAST(${p.placeholder} AS SIGNED), or AS DECIMAL(10, 2) for a fraction; or declare its type in the API description.`,
    })),
  },
  ({ analysis, report }) => {
    const isNumber = (statement: SqlStatement, name: string): boolean => {
      const asked = analysis.descriptions.of(statement)?.asked;
      return (
        asked !== undefined && isNumberColumn(statement, name, analysis.descriptions.tables(asked.datasource))
      );
    };
    return {
      statement: (statement, { operation, loop }) => {
        const { uses, bindings } = statement;
        for (const [index, { besideNumber, besideColumns = [] }] of uses) {
          const binding = bindings[index];
          // A value of the database is a number if its column is one.
          const isUnknown = binding?.kind === 'param' || binding?.kind === 'sent' || binding?.kind === 'body';
          if (!isUnknown) continue;
          if (besideNumber !== true && !besideColumns.some((name) => isNumber(statement, name))) continue;
          if (analysis.declared.of(binding, operation, loop).length > 0) continue;
          const written = printExpression(binding, operation.syntax);
          const placeholder = isInText(binding) ? `:[${written}]` : '?';
          report('text-beside-number', binding.span, { written, placeholder });
        }
      },
    };
  },
);

/** Whether every table of the statement that has such a column has it as a number: the text does not always say whose it is. */
function isNumberColumn(statement: SqlStatement, column: string, tables: readonly KnownTable[]): boolean {
  const { reads, writes } = tableNames(statement);
  const named = new Set([...reads, ...writes].map((name) => bareName(name).toLowerCase()));
  const having = tables.filter(
    ({ name, columns }) => named.has(name.toLowerCase()) && columns.some((one) => isSame(one, column)),
  );
  return (
    having.length > 0 && having.every(({ numbers }) => numbers?.some((one) => isSame(one, column)) === true)
  );
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** In the form `sql` the expression is beside the statement, which has a `?` for it. */
function isInText({ span: { source, start } }: Expression): boolean {
  return /:\[\s*$/.test(source.text.slice(Math.max(0, start - 20), start));
}
