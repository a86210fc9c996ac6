/** Checks of a statement as a whole: its verb, its use, its columns, its parameters. */
import { nearest } from '../../diagnostics/suggest.js';
import { spanOf, type SqlCheckContext, type Use } from './sql-check-context.js';
import { rewriteOf } from './check-foreign.js';
import { checkComparisons } from './check-comparisons.js';
import { checkInsert } from './check-insert.js';
import { checkRows } from './check-rows.js';
import { checkSession, settingFrom } from './check-session.js';
import { dialectName } from '../dialect.js';
import type { OutlineToken } from '../parse/outline.js';
import type { SqlTree } from '../parse/tree.js';
import { changesRows, givesRows, knownVerbs } from '../facts/verb.js';
import { wordSet } from '../lexer/word-set.js';

/** Reports what is wrong; false after an error. */
export function checkStatement(
  context: SqlCheckContext,
  items: readonly OutlineToken[],
  tree: SqlTree,
  verb: OutlineToken | undefined,
  use: Use | undefined,
): boolean {
  if (verb === undefined) {
    const first = items[0];
    const isPlaceholder = first === undefined || first.token.kind === 'placeholder';
    // A placeholder in this position has its own message.
    if (!isPlaceholder) context.report.add('sql-not-a-statement', spanOf(context, first));
    return false;
  }
  if (!checkSession(context, items, tree, verb) || !checkCopy(context, items, verb)) return false;
  const sound = [
    checkVerb(context, tree, verb, use),
    checkParameters(context, items, verb),
    checkColumns(context, items),
    checkNames(context, items),
    checkInsert(context, tree),
  ];
  if (!sound.every(Boolean)) return false;
  checkRows(context, tree, use);
  checkComparisons(context, tree);
  return true;
}

function checkVerb(
  context: SqlCheckContext,
  tree: SqlTree,
  verb: OutlineToken,
  use: Use | undefined,
): boolean {
  const { report, dialect } = context;
  const span = spanOf(context, verb);
  const known = knownVerbs(dialect);
  if (!known.has(verb.word)) {
    const word = verb.token.text;
    const keyword = nearest(word, known);
    if (keyword !== undefined) {
      report.add('sql-misspelt-keyword', span, { written: word, keyword });
      return false;
    }
    report.add('sql-unknown-statement', span, { word, dialect: dialectName(dialect) });
  } else if (use === 'READ' && !givesRows(tree, dialect)) {
    const mayReturn = dialect === 'postgresql' && changesRows(verb.word);
    const hint = `Write \`type: UPDATE\`.${mayReturn ? ' With RETURNING in the SQL its result has rows.' : ''}`;
    report.add('sql-gives-no-rows', span, {
      verb: verb.word === 'SELECT' ? 'SELECT … INTO' : verb.word,
      hint,
      type: changesRows(verb.word) ? context.type : undefined,
    });
  }
  return true;
}

/** COPY with the data of its client; from or to a file of the server it is a statement like others. */
function checkCopy(context: SqlCheckContext, items: readonly OutlineToken[], verb: OutlineToken): boolean {
  if (context.dialect !== 'postgresql' || verb.word !== 'COPY') return true;
  const end = items.find(
    ({ word, parent }, index) =>
      parent === verb.parent &&
      /^STD(?:IN|OUT)$/.test(word) &&
      /^(?:FROM|TO)$/.test(items[index - 1]?.word ?? ''),
  );
  if (end === undefined) return true;
  const isIn = end.word === 'STDIN';
  context.report.add('sql-copy', spanOf(context, end), {
    written: `COPY … ${isIn ? 'FROM' : 'TO'} ${end.word}`,
    hint: isIn
      ? 'Write INSERT … SELECT … FROM jsonb_to_recordset(…), with the rows of the request.'
      : 'Write SELECT, with `type: READ`.',
  });
  return false;
}

/** PostgreSQL's statements that do not accept parameters. */
const constantStatements = wordSet(`
  ALTER ANALYZE CLUSTER COMMENT COPY DISCARD DO DROP EXECUTE GRANT LISTEN LOCK NOTIFY PREPARE REFRESH REINDEX
  RESET REVOKE SET SHOW TRUNCATE UNLISTEN VACUUM
`);

const functionInstead: Readonly<Record<string, string>> = {
  SHOW: 'current_setting(name)',
  NOTIFY: "pg_notify('channel', value)",
};

function checkParameters(
  context: SqlCheckContext,
  items: readonly OutlineToken[],
  verb: OutlineToken,
): boolean {
  if (context.dialect !== 'postgresql' || !constantStatements.has(verb.word)) return true;
  const placeholder = items.find((item) => item.token.kind === 'placeholder');
  if (placeholder === undefined) return true;
  const instead = functionInstead[verb.word];
  const channel = verb.word === 'NOTIFY' ? items[items.indexOf(verb) + 1]?.token : undefined;
  const setting = verb.word === 'SET' ? settingFrom(context, items, verb) : undefined;
  const hint =
    setting !== undefined
      ? `Write ${setting}.`
      : channel?.kind === 'word'
        ? `Write SELECT pg_notify('${channel.text.toLowerCase()}', ${context.text.value.slice(placeholder.token.start, placeholder.token.end)}).`
        : instead === undefined
          ? undefined
          : `Write SELECT ${instead} with the placeholder as its argument.`;
  context.report.add('sql-takes-no-parameters', spanOf(context, placeholder), { verb: verb.word, hint });
  return false;
}

/** Tokens that can follow a whole column in a list of columns. */
const afterColumn = new Set([
  ',',
  ')',
  'FROM',
  'WHERE',
  'UNION',
  'ORDER',
  'GROUP',
  'LIMIT',
  'INTO',
  'HAVING',
]);

/** mysql2 closes the connection at a column named `__proto__`. */
function checkColumns(context: SqlCheckContext, items: readonly OutlineToken[]): boolean {
  if (context.dialect !== 'mysql') return true;
  const columns = items.filter(({ token, clause }, index) => {
    if (clause !== 'SELECT' && clause !== 'RETURNING') return false;
    const after = items[index + 1];
    const isLast = after === undefined || afterColumn.has(after.word);
    const isName = token.kind !== 'literal' || items[index - 1]?.word === 'AS';
    return isLast && isName && /^(["'`]?)__proto__\1$/.test(token.text);
  });
  for (const column of columns) {
    const isAlias = items[items.indexOf(column) - 1]?.word === 'AS';
    context.report.add('sql-column-proto', spanOf(context, column), { written: column.token.text, isAlias });
  }
  return columns.length === 0;
}

/** `:id` and `:PARAM(id)`: other systems' parameters. In PostgreSQL's `a[1:n]` the colon is a slice. */
function checkNames(context: SqlCheckContext, items: readonly OutlineToken[]): boolean {
  let sound = true;
  for (const [index, { word, token, inBrackets }] of items.entries()) {
    const name = items[index + 1]?.token;
    if (word !== ':' || inBrackets || name?.kind !== 'word' || name.start !== token.end) continue;
    const open = items[index + 2];
    const rest = context.text.value.slice(name.start);
    const path = /^(?:param|body)(?:\.\w+)+/.exec(rest)?.[0];
    const end =
      open?.word === '('
        ? (items[open.close]?.token.end ?? name.end)
        : name.start + (path ?? name.text).length;
    const rewrite = rewriteOf(context.text.value.slice(name.start, end), context.form);
    const written = context.text.value.slice(token.start, end);
    const span = context.text.spanOf(token.start, end);
    context.report.add('sql-named-parameter', span, { written, rewrite });
    sound = false;
  }
  return sound;
}
