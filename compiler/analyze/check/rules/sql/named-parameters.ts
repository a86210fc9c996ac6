/** Reports parameters and expressions in the notation of other systems. */
import { error } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { bareNames } from '../../sql/bare-names.js';
import { foreignIn } from '../../sql/foreign.js';
import { sqlRule } from '../../sql/sql-rule.js';

export const sqlNamedParameter = sqlRule(
  {
    'sql-named-parameter': error(
      { written: 'text', rewrite: 'text' },
      (p: { written: string; rewrite: string }) => ({
        message: `${p.written} is not ${p.rewrite === '?' || p.rewrite.includes(':[') ? 'a placeholder' : 'SQL'}.`,
        hint:
          p.rewrite === '?' && /^[A-Z][A-Z\d_]*\(.*\)$/s.test(p.written)
            ? `Write ? and add \`- param: ${p.written}\` to \`parameters\`, in the order of the markers.`
            : `Write ${p.rewrite}${p.rewrite === '?' || p.rewrite.includes(':[') ? ' for a value' : ''}.`,
        instead: p.rewrite === '?' ? undefined : p.rewrite,
      }),
    ),
  },
  (sql, report) => {
    const { text } = sql;
    for (const { start, end, rewrite } of [...foreignIn(sql), ...bareNames(sql)])
      report('sql-named-parameter', text.spanOf(start, end), {
        written: text.value.slice(start, end),
        rewrite,
      });
  },
);
