/** Checks the first word of a statement. */
import { error, warning } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import type { Span } from '../../../../read/source.js';
import { dialectName } from '../../../../read/sql/dialect.js';
import { changesRows, givesRows, knownVerbs } from '../../../../read/sql/facts/verb.js';
import { spanOf } from '../../../../read/sql/sql-text.js';
import { sentStatement } from '../../sql/sent-statement.js';
import { sqlRule } from '../../sql/sql-rule.js';
import { meantVerb, verbOf } from '../../sql/verb-of.js';

/** A placeholder in this position has its own message. */
export const sqlNotAStatement = sqlRule(
  {
    'sql-not-a-statement': error(() => ({
      message: 'The SQL does not begin with a verb such as SELECT or INSERT.',
      hint: 'Write one SQL statement, for example SELECT id, title FROM news.',
    })),
  },
  (sql, report) => {
    const first = sql.tree?.items[0];
    if (first !== undefined && first.token.kind !== 'placeholder' && verbOf(sql) === undefined)
      report('sql-not-a-statement', spanOf(sql, first));
  },
);

export const sqlUnknownStatement = sqlRule(
  {
    'sql-unknown-statement': warning(
      { word: 'text', dialect: 'word' },
      (p: { word: string; dialect: string }) => ({
        message: `Unknown statement '${p.word}' of ${p.dialect}.`,
        hint: 'Correct the first word if it is misspelt. Otherwise the result of the statement is unknown.',
      }),
    ),
    'sql-gives-no-rows': warning(
      { verb: 'word', hint: 'sentence' },
      (p: { verb: string; hint: string; type: Span | undefined }) => ({
        ...(p.type && { instead: 'UPDATE', insteadOf: p.type }),
        message: `This READ is always an empty list: ${p.verb} returns no rows.`,
        hint: p.hint,
      }),
    ),
  },
  (sql, report) => {
    const sent = sentStatement(sql);
    if (sent === undefined) return;
    const { dialect, use, type } = sql;
    const { tree, verb } = sent;
    const span = spanOf(sql, verb);
    if (!knownVerbs[dialect].has(verb.word)) {
      // A probable misspelling is reported as a misspelled keyword.
      if (meantVerb(verb, dialect) === undefined)
        report('sql-unknown-statement', span, { word: verb.token.text, dialect: dialectName(dialect) });
    } else if (use === 'READ' && !givesRows(tree, dialect)) {
      const mayReturn = dialect === 'postgresql' && changesRows(verb.word);
      const hint = `Write \`type: UPDATE\`.${mayReturn ? ' With RETURNING in the SQL its result has rows.' : ''}`;
      report('sql-gives-no-rows', span, {
        verb: verb.word === 'SELECT' ? 'SELECT … INTO' : verb.word,
        hint,
        type: changesRows(verb.word) ? type : undefined,
      });
    }
  },
);
