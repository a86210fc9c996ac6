/** Statements that their database refuses: it was asked before the service runs. */
import type { AskedStatement, UncheckedStatement } from '../../operations/statement-descriptions.js';
import type { Datasource } from '../../../read/config/config-model.js';
import { ordinaryError, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { printExpression } from '../../../read/expression/print-expression.js';
import type { Span } from '../../../read/source.js';
import type { Refusal } from '../../../read/sql/statement-description.js';
import { castHint, otherHint } from '../refusal-hints.js';
import { meantColumn, meantColumnOfTable, meantTable, type MeantName } from '../refused-name.js';
import { ruleOfWhole } from '../rule.js';
import { columnHint, schemaHint, spanOfError } from '../schema-errors.js';

const namesAreOpen =
  'Unknown tables, columns and types are not reported, because this statement may create them.';

/** MySQL and MariaDB, for a URL that ends with the host. */
const noDatabase = 'No database selected';

export const sqlRefused = ruleOfWhole(
  {
    'sql-refused': ordinaryError(
      (p: { message: string; hint: string | undefined; meant: MeantName | undefined }) => ({
        message: `The database rejects this statement: ${p.message}.`,
        hint: p.hint,
        instead: p.meant?.instead,
        isSuggestion: p.meant?.isSure !== true,
      }),
    ),
    'schema-refused': ordinaryError((p: { message: string; hint: string | undefined }) => ({
      message: `This statement of the schema fails: ${p.message}.`,
      hint: `${p.hint ?? schemaHint(p.message)} ${namesAreOpen}`,
    })),
    'schema-not-run': warning((p: { message: string; hint: string | undefined }) => ({
      message: `The embedded PostgreSQL lacks what this statement of the schema needs: ${p.message}.`,
      hint: `Ask a server that has it with --database; the rest of the schema is used. ${namesAreOpen}`,
    })),
    'sql-not-checked': warning((p: { reason: string; datasource: string; others: number }) => ({
      message: `This statement is not checked: ${p.reason}.`,
      hint: `${p.others === 0 ? 'It' : `It and ${p.others} more on '${p.datasource}'`} may be right or wrong. ${p.reason === noDatabase ? 'Write the name of the database at the end of the URL.' : 'Ask as a user with the privileges of the service.'}`,
    })),
  },
  ({ analysis, report }) => ({
    statement: (statement, { operation }) => {
      const described = analysis.descriptions.of(statement);
      if (described === undefined || !('refusal' in described.result)) return;
      const { asked, result } = described;
      const { refusal } = result;
      // `sql-insert-count` reports it without a database.
      if (/^INSERT has more (?:expressions|target columns)/.test(refusal.message)) return;
      if (isOfName(refusal) && !analysis.descriptions.isWhole(asked.datasource)) return;
      const { message, span } = inOwnWords(refusal, asked, operation.syntax);
      const tables = analysis.descriptions.tables(asked.datasource);
      const meant =
        meantColumn(refusal, span) ??
        meantColumnOfTable(refusal, tables) ??
        meantTable(
          refusal,
          tables.map(({ name }) => name),
        );
      const hint = meant?.hint ?? castHint(refusal) ?? refusal.hint ?? otherHint(refusal, span);
      report('sql-refused', span, {
        message,
        hint: sentence(hint),
        meant,
      });
    },
    end: () => {
      for (const [datasource, [first, ...others]] of byDatasource(analysis.descriptions.unchecked))
        if (first !== undefined)
          report('sql-not-checked', first.asked.statement.pieces.text.span, {
            reason: first.reason,
            datasource: datasource.name.value,
            others: others.length,
          });
      for (const error of analysis.descriptions.errors) {
        const { message, hint, isLack } = error;
        report(isLack ? 'schema-not-run' : 'schema-refused', spanOfError(error), {
          message,
          hint: hint === undefined ? columnHint(error) : sentence(hint),
        });
      }
    },
  }),
);

/** Once for each, with the first of its statements: a missing privilege concerns many. */
function byDatasource(
  unchecked: readonly UncheckedStatement[],
): ReadonlyMap<Datasource, readonly UncheckedStatement[]> {
  const all = new Map<Datasource, UncheckedStatement[]>();
  for (const one of unchecked) {
    const { datasource } = one.asked;
    const own = all.get(datasource) ?? [];
    own.push(one);
    all.set(datasource, own);
  }
  return all;
}

/** Tables, columns, functions, types and schemas that are not there; the numbers are MySQL's. */
const nameCodes = new Set([
  ...['42P01', '42703', '42883', '42704', '3F000', '42P02'],
  ...['1146', '1054', '1305', '1630', '1049', '1051', '1109'],
]);

function isOfName({ code }: Refusal): boolean {
  return nameCodes.has(code);
}

/** The message and its span, with the bound expressions instead of their markers. */
function inOwnWords(
  { message, at }: Refusal,
  asked: AskedStatement,
  syntax: 'A' | 'B',
): { message: string; span: Span } {
  const { statement, bindings } = asked;
  const marker = /\$(\d+)/.exec(message);
  const named = marker === null ? undefined : bindings[Number(marker[1]) - 1];
  const span = at !== undefined ? asked.spanOf(at) : (named?.span ?? statement.pieces.text.span);
  const words = message.replaceAll(/parameter \$(\d+)/g, (written, number: string) => {
    const bound = bindings[Number(number) - 1];
    return bound === undefined ? written : `:[${printExpression(bound, syntax)}]`;
  });
  return { message: words, span };
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
