/** Reports parameters in PostgreSQL statements that do not accept any. */
import { error } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { spanOf } from '../../../../read/sql/sql-text.js';
import { sentStatement } from '../../sql/sent-statement.js';
import { settingFrom } from '../../sql/setting-from.js';
import { refusingRule } from '../../sql/sql-rule.js';
import { takesNoParameters } from '../../sql/verb-of.js';

const functionInstead: Readonly<Record<string, string>> = {
  SHOW: 'current_setting(name)',
  NOTIFY: "pg_notify('channel', value)",
};

export const sqlTakesNoParameters = refusingRule(
  {
    'sql-takes-no-parameters': error(
      { verb: 'word', hint: 'sentence' },
      (p: { verb: string; hint: string | undefined }) => ({
        message: `PostgreSQL accepts no parameters in ${p.verb}.`,
        hint: p.hint ?? 'Write the value itself, or one query for each value, each with its own `if`.',
      }),
    ),
  },
  (sql, report) => {
    const sent = sentStatement(sql);
    if (sent === undefined || !takesNoParameters(sql.dialect, sent.verb)) return;
    const { verb, tree } = sent;
    const { items } = tree;
    const placeholder = items.find((item) => item.token.kind === 'placeholder');
    if (placeholder === undefined) return;
    const instead = functionInstead[verb.word];
    const channel = verb.word === 'NOTIFY' ? items[items.indexOf(verb) + 1]?.token : undefined;
    const setting = verb.word === 'SET' ? settingFrom(sql, items, verb) : undefined;
    const hint =
      setting !== undefined
        ? `Write ${setting}.`
        : channel?.kind === 'word'
          ? `Write SELECT pg_notify('${channel.text.toLowerCase()}', ${sql.text.value.slice(placeholder.token.start, placeholder.token.end)}).`
          : instead === undefined
            ? undefined
            : `Write SELECT ${instead} with the placeholder as its argument.`;
    report('sql-takes-no-parameters', spanOf(sql, placeholder), { verb: verb.word, hint });
  },
);
