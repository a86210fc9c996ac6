/** Reports misplaced words and placeholders. */
import { isExecutableComment } from '../../../../read/sql/lexer/token.js';
import { spanOf, type SqlText } from '../../../../read/sql/sql-text.js';
import { foreignIn } from '../../sql/foreign.js';
import { grammarMessages, type ReportGrammar } from '../../sql/grammar-messages.js';
import { checkPositions } from '../../sql/misplaced.js';
import { sentStatement } from '../../sql/sent-statement.js';
import { sqlRule } from '../../sql/sql-rule.js';
import { checkSyntax } from '../../sql/syntax-problem.js';
import { meantVerb, takesNoParameters, verbOf } from '../../sql/verb-of.js';

export const sqlUnexpected = sqlRule(grammarMessages, (sql, report) => {
  const { dialect, tokens, tree } = sql;
  if (dialect === 'postgresql' && sql.text.value.includes('`')) checkBackticks(sql, report);
  if (tree === undefined) return;
  const isPlaced = takesNoParameters(dialect, verbOf(sql)) || checkPositions(sql, tree, report);
  const sent = sentStatement(sql);
  const keyword = sent && meantVerb(sent.verb, dialect);
  if (sent !== undefined && keyword !== undefined)
    report('sql-misspelt-keyword', spanOf(sql, sent.verb), { written: sent.verb.token.text, keyword });
  // After a misplaced placeholder, the surrounding SQL is not checked.
  if (isPlaced && foreignIn(sql).length === 0 && !tokens.some(isExecutableComment))
    checkSyntax(sql, tree, report);
});

/** Reports names in MySQL's backticks, which PostgreSQL does not support. */
function checkBackticks({ text, tokens }: SqlText, report: ReportGrammar): void {
  for (const [index, opening] of tokens.entries()) {
    const [name, closing] = [tokens[index + 1], tokens[index + 2]];
    if (opening.text !== '`' || name?.kind !== 'word' || closing?.text !== '`') continue;
    const before = tokens.slice(0, index).findLast(({ kind }) => kind !== 'space' && kind !== 'comment');
    report('sql-unexpected', text.spanOf(opening.start, closing.end), {
      written: `\`${name.text}\``,
      before: before?.text ?? '',
      hint: `PostgreSQL quotes names with ": write ${name.text}, or "${name.text}".`,
    });
  }
}
