/** Checks markers: `?` in the `sql` form, `:[…]` in `query`. */
import { error } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import type { Dialect } from '../../../../read/sql/dialect.js';
import { exampleOf } from '../../../../read/sql/rewrite/meant-placeholder.js';
import type { SqlText } from '../../../../read/sql/sql-text.js';
import { sqlRule } from '../../sql/sql-rule.js';

export const sqlQuestionMark = sqlRule(
  {
    'sql-question-mark': error(
      { written: 'text', reason: 'sentence', marker: 'word' },
      (p: { written: string; reason: string; marker: string }) => ({
        message: `Unexpected '${p.written}': ${p.reason}.`,
        hint: `Write ${p.marker} for a value.`,
      }),
    ),
    'sql-positional-parameter': error(
      { written: 'text', marker: 'word' },
      (p: { written: string; marker: string }) => ({
        message: `Numbered parameter ${p.written}: the compiler numbers parameters itself.`,
        hint: `Write ${p.marker} for a value.`,
      }),
    ),
    'sql-placeholder-in-sql-form': error(
      { written: 'text', expression: 'text' },
      (p: { written: string; expression: string }) => ({
        message: 'Placeholder in the `sql` form, where a parameter is `?`.',
        hint: `Write ? instead of ${p.written} and add \`- param: ${p.expression}\` to \`parameters\`; or use \`query\`.`,
      }),
    ),
  },
  (sql, report) => {
    const { text, dialect, form, tokens } = sql;
    const marker = form.kind === 'sql' ? '?' : `a placeholder, such as ${exampleOf(form, 'id')},`;
    for (const [index, token] of tokens.entries()) {
      const { kind, text: written, start, end } = token;
      if (kind === 'placeholder' && form.kind === 'sql')
        report('sql-placeholder-in-sql-form', text.spanOf(start, end), {
          written,
          expression: written.slice(2, -1),
        });
      else if (kind === 'positional')
        report('sql-positional-parameter', text.spanOf(start, end), { written, marker });
      else if (kind === 'question' && !isMarker(sql, written) && !isOperator(sql, index))
        report('sql-question-mark', text.spanOf(start, end), {
          written,
          reason: reasonOf(dialect, written),
          marker,
        });
    }
  },
);

/** Whether the text is a marker in the `sql` form; `??` is a question mark on PostgreSQL. */
function isMarker({ dialect, form }: SqlText, written: string): boolean {
  return form.kind === 'sql' && (dialect === 'postgresql' || written === '?');
}

function reasonOf(dialect: Dialect, written: string): string {
  if (dialect === 'postgresql') return 'in `query` it is an operator of PostgreSQL, not a parameter';
  return written === '??'
    ? "MySQL has no operator '?'"
    : 'MySQL reads it as a parameter, which has no value here';
}

/** Whether `?` is PostgreSQL's operator between two operands, which MySQL does not have. */
function isOperator({ dialect, tokens }: SqlText, index: number): boolean {
  if (dialect !== 'postgresql') return false;
  let before = index - 1;
  while (tokens[before]?.kind === 'space' || tokens[before]?.kind === 'comment') before -= 1;
  const token = tokens[before];
  return token !== undefined && !(token.kind === 'operator' && !/[)\]?@]/.test(token.text));
}
