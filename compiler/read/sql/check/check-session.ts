/** Statements that change the connection itself: it is shared, and transactions are the service's (decisions 11.14). */
import type { Dialect } from '../dialect.js';
import type { Item, SqlTree } from '../parse/tree.js';
import { spanOf, spanOfNode, type SqlCheckContext } from './sql-check-context.js';

const transaction = 'Remove it, and write `transaction: true` on the operation.';
const inTransaction = 'Write `transaction: true` on the operation, and';
const prepared = 'Write the statement itself: the service prepares it.';

const ofBoth: Readonly<Record<string, string>> = {
  BEGIN: transaction,
  START: transaction,
  COMMIT: transaction,
  ROLLBACK: transaction,
  SAVEPOINT: transaction,
  RELEASE: transaction,
  PREPARE: prepared,
  EXECUTE: prepared,
  DEALLOCATE: prepared,
};

const hints: Record<Dialect, Readonly<Record<string, string>>> = {
  postgresql: {
    ...ofBoth,
    END: transaction,
    ABORT: transaction,
    SET: `${inTransaction} SET LOCAL here.`,
    RESET: 'Remove it, and write SET LOCAL instead of SET: such a setting ends with the transaction.',
    DISCARD: 'Remove it: the service looks after its connections.',
    LISTEN: 'Remove it: notifications do not reach a service.',
    UNLISTEN: 'Remove it: notifications do not reach a service.',
  },
  mysql: {
    ...ofBoth,
    XA: transaction,
    LOCK: `${inTransaction} SELECT … FOR UPDATE here.`,
    UNLOCK: 'Remove it: the locks of a transaction end with it.',
    USE: "Name the database in the 'url' of the datasource, or before the table: `news.item`.",
    SET: 'Write SET STATEMENT … FOR the statement on MariaDB, or /*+ SET_VAR(…) */ in it on MySQL.',
  },
};

/** Reports them; false after an error. */
export function checkSession(context: SqlCheckContext, tree: SqlTree, verb: Item): boolean {
  const { items } = tree;
  const general = Object.hasOwn(hints[context.dialect], verb.word)
    ? hints[context.dialect][verb.word]
    : undefined;
  const hint = general === undefined ? undefined : (ofSetting(context, items, verb) ?? general);
  const change = hint === undefined ? undefined : changeIn(tree, verb, context.dialect);
  if (hint !== undefined && change !== undefined) {
    context.report.add('sql-session', spanOf(context, change), { statement: nameOf(items, verb), hint });
    return false;
  }
  return context.dialect === 'mysql' || checkSettings(context, tree);
}

/** The suggestion for a SET or LOCK, with the names and values that it has. */
function ofSetting(context: SqlCheckContext, items: readonly Item[], verb: Item): string | undefined {
  const rest = items.slice(items.indexOf(verb) + 1);
  const next = rest[0]?.word ?? '';
  if (verb.word === 'LOCK') {
    const name = /^TABLES?$/.test(next) ? rest[1]?.token : undefined;
    return name && `${inTransaction} SELECT * FROM ${name.text} FOR UPDATE here.`;
  }
  if (verb.word !== 'SET') return undefined;
  if (context.dialect === 'postgresql') {
    const call = settingFrom(context, items, verb);
    if (call !== undefined) return `${inTransaction} ${call} here.`;
    const first = next === 'SESSION' && rest[1]?.word !== 'AUTHORIZATION' ? rest[1] : rest[0];
    return first?.word === 'CHARACTERISTICS'
      ? undefined
      : first && `${inTransaction} SET LOCAL ${textFrom(context, first, items)} here.`;
  }
  if (next === 'AUTOCOMMIT') return transaction;
  if (next === 'NAMES' || next === 'CHARACTER') return 'Remove it: the service always uses utf8mb4.';
  const first = rest.find(({ word }) => !/^(?:@|@@|\.|SESSION|LOCAL)$/.test(word));
  const setting = first && textFrom(context, first, items);
  return setting !== undefined && /^\w+ ?:?=[^,]+$/.test(setting)
    ? `On MariaDB write SET STATEMENT ${setting} FOR before the statement that needs it, on MySQL /*+ SET_VAR(${setting}) */ after its first word.`
    : undefined;
}

/** The text from the item to the end of the statement, on one line. */
function textFrom({ text }: SqlCheckContext, first: Item, items: readonly Item[]): string {
  return text.value.slice(first.token.start, items.at(-1)?.token.end).replaceAll(/\s+/g, ' ');
}

/** `SELECT set_config('app.user', :[PARAM(u)], true)` for a SET of PostgreSQL with that one value; undefined for another one. */
export function settingFrom(
  { text }: SqlCheckContext,
  items: readonly Item[],
  verb: Item,
): string | undefined {
  const last = items.at(-1);
  const to = items.at(-2);
  if (last?.token.kind !== 'placeholder' || (to?.word !== 'TO' && to?.word !== '=')) return undefined;
  const written = text.value.slice(verb.token.end, to.token.start).trim();
  const [, name] = /^(?:(?:SESSION|LOCAL)\s+)?([\w.]+)$/i.exec(written) ?? [];
  return name && `SELECT set_config('${name}', ${last.token.text}, true)`;
}

/** Scopes of settings that end with the transaction on PostgreSQL. */
const endingScopes = new Set(['LOCAL', 'TRANSACTION', 'CONSTRAINTS']);

/** Scopes of settings of the server on MySQL, which are not of the session. */
const serverScopes = new Set(['GLOBAL', 'PERSIST', 'PERSIST_ONLY', 'PASSWORD']);

/** Where the statement changes the session: at its verb, or at the first such assignment of a SET; undefined if it does not. */
function changeIn({ items, main }: SqlTree, verb: Item, dialect: Dialect): Item | undefined {
  const next = items[main.verbItem + 1];
  if (verb.word === 'START') return next?.word === 'TRANSACTION' ? verb : undefined;
  if (verb.word !== 'SET' || next === undefined) return verb;
  if (dialect === 'postgresql') return endingScopes.has(next.word) ? undefined : verb;
  if (next.word === 'DEFAULT') return undefined;
  const first = main.clauses
    .flatMap(({ children }) => children)
    .find(
      (child) =>
        /^(?:SET|,)$/.test(items[child.first - 1]?.word ?? '') && !isOutsideSession(items, child.first),
    );
  return first?.first === main.verbItem + 1 ? verb : items[first?.first ?? -1];
}

/** `@a = 1`, `GLOBAL b = 2`, `@@global.b = 2`. */
function isOutsideSession(items: readonly Item[], index: number): boolean {
  const words = items.slice(index, index + 3).map(({ word }) => word);
  if (words[0] !== '@') return serverScopes.has(words[0] ?? '');
  return words[1] !== '@' || serverScopes.has(words[2] ?? '');
}

/** `START TRANSACTION`, `LOCK TABLES`, `COMMIT`. */
function nameOf(items: readonly Item[], verb: Item): string {
  const next = items[items.indexOf(verb) + 1]?.word ?? '';
  return ['TRANSACTION', 'TABLES', 'TABLE', 'SESSION'].includes(next) ? `${verb.word} ${next}` : verb.word;
}

/** `set_config(…, false)`: the setting would stay. */
function checkSettings(context: SqlCheckContext, { nodes, items }: SqlTree): boolean {
  let sound = true;
  for (const node of nodes) {
    const called = node.kind === 'call' ? items[node.name.last] : undefined;
    if (node.kind !== 'call' || called === undefined || !isSetConfig(called)) continue;
    const [, , scope] = node.arguments;
    const value = scope?.first === scope?.last ? items[scope?.first ?? -1] : undefined;
    if (scope === undefined || !/^'?(?:f|false|off|no|0)'?$/i.test(value?.token.text ?? '')) continue;
    const hint = 'Write true as its third argument, and `transaction: true` on the operation.';
    context.report.add('sql-session', spanOfNode(context, scope, items), {
      statement: 'set_config(…, false)',
      hint,
    });
    sound = false;
  }
  return sound;
}

function isSetConfig({ word, token }: Item): boolean {
  return word === 'SET_CONFIG' || token.text === '"set_config"';
}
