/**
 * Reports statements that change the connection, which other calls share. The service also controls transactions
 * (docs/design/sql.md#sql-5.3).
 */
import type { Dialect } from '../../../../read/sql/dialect.js';
import type { Item, SqlNode, SqlTree } from '../../../../read/sql/parse/tree.js';
import { spanOf, spanOfNode, type SqlText } from '../../../../read/sql/sql-text.js';
import { error } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { refusingRule } from '../../sql/sql-rule.js';
import { settingFrom } from '../../sql/setting-from.js';
import { verbOf } from '../../sql/verb-of.js';

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

export const sqlSession = refusingRule(
  {
    'sql-session': error(
      { statement: 'text', hint: 'sentence' },
      (p: { statement: string; hint: string }) => ({
        message: `${p.statement} changes the connection, which other requests share.`,
        hint: p.hint,
      }),
    ),
  },
  (sql, report) => {
    const verb = verbOf(sql);
    if (sql.tree === undefined || verb === undefined) return;
    const { tree, dialect } = sql;
    const { items } = tree;
    const general = Object.hasOwn(hints[dialect], verb.word) ? hints[dialect][verb.word] : undefined;
    const hint = general === undefined ? undefined : (ofSetting(sql, items, verb) ?? general);
    const change = hint === undefined ? undefined : changeIn(tree, verb, dialect);
    if (hint !== undefined && change !== undefined)
      report('sql-session', spanOf(sql, change), { statement: nameOf(items, verb), hint });
    else if (dialect === 'postgresql')
      for (const scope of keptSettings(tree))
        report('sql-session', spanOfNode(sql, scope, items), {
          statement: 'set_config(…, false)',
          hint: 'Write true as its third argument, and `transaction: true` on the operation.',
        });
  },
);

/** The suggestion for a SET or LOCK, using its names and values. */
function ofSetting(sql: SqlText, items: readonly Item[], verb: Item): string | undefined {
  const rest = items.slice(items.indexOf(verb) + 1);
  const next = rest[0]?.word ?? '';
  if (verb.word === 'LOCK') {
    const name = /^TABLES?$/.test(next) ? rest[1]?.token : undefined;
    return name && `${inTransaction} SELECT * FROM ${name.text} FOR UPDATE here.`;
  }
  if (verb.word !== 'SET') return undefined;
  if (sql.dialect === 'postgresql') {
    const call = settingFrom(sql, items, verb);
    if (call !== undefined) return `${inTransaction} ${call} here.`;
    const first = next === 'SESSION' && rest[1]?.word !== 'AUTHORIZATION' ? rest[1] : rest[0];
    return first?.word === 'CHARACTERISTICS'
      ? undefined
      : first && `${inTransaction} SET LOCAL ${textFrom(sql, first, items)} here.`;
  }
  if (next === 'AUTOCOMMIT') return transaction;
  if (next === 'NAMES' || next === 'CHARACTER') return 'Remove it: the service always uses utf8mb4.';
  const first = rest.find(({ word }) => !/^(?:@|@@|\.|SESSION|LOCAL)$/.test(word));
  const setting = first && textFrom(sql, first, items);
  return setting !== undefined && /^\w+ ?:?=[^,]+$/.test(setting)
    ? `On MariaDB write SET STATEMENT ${setting} FOR before the statement that needs it, on MySQL /*+ SET_VAR(${setting}) */ after its first word.`
    : undefined;
}

/** The text from the item to the end of the statement, on one line. */
function textFrom({ text }: SqlText, first: Item, items: readonly Item[]): string {
  return text.value.slice(first.token.start, items.at(-1)?.token.end).replaceAll(/\s+/g, ' ');
}

/** Scopes of PostgreSQL settings that end with the transaction. */
const endingScopes = new Set(['LOCAL', 'TRANSACTION', 'CONSTRAINTS']);

/** Scopes of MySQL settings that affect the server instead of the session. */
const serverScopes = new Set(['GLOBAL', 'PERSIST', 'PERSIST_ONLY', 'PASSWORD']);

/**
 * The position at which the statement changes the session: its verb, or the first session assignment in a SET; undefined if there is none.
 */
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

/** Whether the assignment does not affect session variables: `@a = 1`, `GLOBAL b = 2`, `@@global.b = 2`. */
function isOutsideSession(items: readonly Item[], index: number): boolean {
  const words = items.slice(index, index + 3).map(({ word }) => word);
  if (words[0] !== '@') return serverScopes.has(words[0] ?? '');
  return words[1] !== '@' || serverScopes.has(words[2] ?? '');
}

/** The name of the statement for messages: `START TRANSACTION`, `LOCK TABLES`, `COMMIT`. */
function nameOf(items: readonly Item[], verb: Item): string {
  const next = items[items.indexOf(verb) + 1]?.word ?? '';
  return ['TRANSACTION', 'TABLES', 'TABLE', 'SESSION'].includes(next) ? `${verb.word} ${next}` : verb.word;
}

/** The scope arguments in `set_config(…, false)`, which would keep the setting. */
function keptSettings({ nodes, items }: SqlTree): SqlNode[] {
  return nodes.flatMap((node) => {
    const called = node.kind === 'call' ? items[node.name.last] : undefined;
    if (node.kind !== 'call' || called === undefined || !isSetConfig(called)) return [];
    const [, , scope] = node.arguments;
    const value = scope?.first === scope?.last ? items[scope?.first ?? -1] : undefined;
    const isKept = /^'?(?:f|false|off|no|0)'?$/i.test(value?.token.text ?? '');
    return scope !== undefined && isKept ? [scope] : [];
  });
}

function isSetConfig({ word, token }: Item): boolean {
  return word === 'SET_CONFIG' || token.text === '"set_config"';
}
