/** Checks of a statement as a whole: its verb, its use, its columns, its parameters. */
import { nearest } from '../../diagnostics/suggest.js';
import { spanOf, spanOfNode, type SqlCheckContext, type Use } from './sql-check-context.js';
import { rewriteOf } from './check-foreign.js';
import { checkComparisons } from './check-comparisons.js';
import { checkInsert } from './check-insert.js';
import { checkRows } from './check-rows.js';
import { checkSession, settingFrom } from './check-session.js';
import { dialectName, type Dialect } from '../dialect.js';
import { isSlice, nodesByItem, type Item, type SqlTree } from '../parse/tree.js';
import { changesRows, givesRows, knownVerbs } from '../facts/verb.js';
import { wordSet } from '../../wordset.js';

/** Reports what is wrong; false after an error. */
export function checkStatement(
  context: SqlCheckContext,
  tree: SqlTree,
  verb: Item | undefined,
  use: Use | undefined,
): boolean {
  const { items } = tree;
  if (verb === undefined) {
    const [first] = items;
    const isPlaceholder = first === undefined || first.token.kind === 'placeholder';
    // A placeholder in this position has its own message.
    if (!isPlaceholder) context.report.add('sql-not-a-statement', spanOf(context, first));
    return false;
  }
  if (!checkSession(context, tree, verb) || !checkCopy(context, tree)) return false;
  const sound = [
    checkVerb(context, tree, verb, use),
    checkParameters(context, items, verb),
    checkColumns(context, tree),
    checkNames(context, tree),
    checkInsert(context, tree),
  ];
  if (!sound.every(Boolean)) return false;
  checkRows(context, tree, use);
  checkComparisons(context, tree);
  return true;
}

function checkVerb(context: SqlCheckContext, tree: SqlTree, verb: Item, use: Use | undefined): boolean {
  const { report, dialect } = context;
  const span = spanOf(context, verb);
  const known = knownVerbs[dialect];
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
function checkCopy(context: SqlCheckContext, { items, main, nodes }: SqlTree): boolean {
  if (context.dialect !== 'postgresql' || main.verb !== 'COPY') return true;
  const name = nodes.find(
    ({ kind, query, first }) =>
      kind === 'name' &&
      query === main &&
      /^STD(?:IN|OUT)$/.test(items[first]?.word ?? '') &&
      /^(?:FROM|TO)$/.test(items[first - 1]?.word ?? ''),
  );
  const end = items[name?.first ?? -1];
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

/** Whether every placeholder is one error of the statement, wherever it stands. */
export function takesNoParameters(dialect: Dialect, verb: Item | undefined): boolean {
  return dialect === 'postgresql' && verb !== undefined && constantStatements.has(verb.word);
}

function checkParameters(context: SqlCheckContext, items: readonly Item[], verb: Item): boolean {
  if (!takesNoParameters(context.dialect, verb)) return true;
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

/** mysql2 closes the connection at a column named `__proto__`. */
function checkColumns(context: SqlCheckContext, { nodes, items }: SqlTree): boolean {
  if (context.dialect !== 'mysql') return true;
  let sound = true;
  for (const node of nodes) {
    if (node.kind !== 'column') continue;
    const isAlias = node.alias !== undefined;
    const name = node.alias ?? (node.value.kind === 'name' ? node.value.last : -1);
    const written = items[name]?.token.text ?? '';
    if (!/^(["'`]?)__proto__\1$/.test(written)) continue;
    context.report.add('sql-column-proto', spanOfNode(context, { first: name, last: name }, items), {
      written,
      isAlias,
    });
    sound = false;
  }
  return sound;
}

/** `:id` and `:PARAM(id)`: other systems' parameters. In PostgreSQL's `a[1:n]` the colon is a slice. */
function checkNames(context: SqlCheckContext, tree: SqlTree): boolean {
  const { items } = tree;
  const { text, form } = context;
  const colons = items.flatMap(({ word, token }, index) => {
    const name = items[index + 1]?.token;
    return word === ':' && name?.kind === 'word' && name.start === token.end ? [{ index, name }] : [];
  });
  if (colons.length === 0) return true;
  const around = nodesByItem(tree);
  let sound = true;
  for (const { index, name } of colons) {
    const node = around[index];
    if (node !== undefined && isSlice(node)) continue;
    const open = items[index + 2];
    const path = /^(?:param|body)(?:\.\w+)+/.exec(text.value.slice(name.start))?.[0];
    const end =
      open?.word === '('
        ? (items[open.close]?.token.end ?? name.end)
        : name.start + (path ?? name.text).length;
    const start = items[index]?.token.start ?? name.start;
    const rewrite = rewriteOf(text.value.slice(name.start, end), form);
    const written = text.value.slice(start, end);
    context.report.add('sql-named-parameter', text.spanOf(start, end), { written, rewrite });
    sound = false;
  }
  return sound;
}
