/** Statements that change the connection itself: it is shared, and transactions are the service's (decisions 11.14). */
import type { Dialect } from './dialect.js';
import { argumentsOf } from './operand.js';
import type { Item } from './outline.js';
import { placeOf, type Reading } from './reading.js';

const transaction = 'Remove it, and write `transaction: true` on the operation.';
const local = 'Write `transaction: true` on the operation, and SET LOCAL here.';
const prepared = 'Write the statement itself: the service prepares it.';
const lock = 'Write `transaction: true` on the operation, and SELECT … FOR UPDATE here.';

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
    SET: local,
    RESET: local,
    DISCARD: 'Remove it: the service looks after its connections.',
    LISTEN: 'Remove it: notifications do not reach a service.',
    UNLISTEN: 'Remove it: notifications do not reach a service.',
  },
  mysql: {
    ...ofBoth,
    XA: transaction,
    LOCK: lock,
    UNLOCK: lock,
    USE: "Name the database in the 'url' of the datasource, or before the table: `news.item`.",
    SET: 'Write SET STATEMENT … FOR the statement on MariaDB, or /*+ SET_VAR(…) */ in it on MySQL.',
  },
};

/** Reports them; false after an error. */
export function checkSession(reading: Reading, items: readonly Item[], verb: Item): boolean {
  const hint = Object.hasOwn(hints[reading.dialect], verb.word)
    ? hints[reading.dialect][verb.word]
    : undefined;
  if (hint !== undefined && !isHarmless(items, verb, reading.dialect)) {
    reading.report.add('sql-session', placeOf(reading, verb), { statement: nameOf(items, verb), hint });
    return false;
  }
  return reading.dialect === 'mysql' || checkSettings(reading, items);
}

const scopes: Record<Dialect, ReadonlySet<string>> = {
  // Those that end with the transaction.
  postgresql: new Set(['LOCAL', 'TRANSACTION', 'CONSTRAINTS']),
  // Those of the server; `@a` is a variable of the author's.
  mysql: new Set(['GLOBAL', 'PERSIST', 'PERSIST_ONLY', 'PASSWORD', 'DEFAULT', '@']),
};

function isHarmless(items: readonly Item[], verb: Item, dialect: Dialect): boolean {
  const start = items.indexOf(verb);
  const next = items[start + 1];
  if (verb.word === 'START') return next?.word !== 'TRANSACTION';
  if (verb.word !== 'SET' || next === undefined) return false;
  if (next.word === '@') return items[start + 2]?.word !== '@' || items[start + 3]?.word === 'GLOBAL';
  return scopes[dialect].has(next.word);
}

/** `START TRANSACTION`, `LOCK TABLES`, `COMMIT`. */
function nameOf(items: readonly Item[], verb: Item): string {
  const next = items[items.indexOf(verb) + 1]?.word ?? '';
  return ['TRANSACTION', 'TABLES', 'TABLE', 'SESSION'].includes(next) ? `${verb.word} ${next}` : verb.word;
}

/** `set_config(…, false)`: the setting would stay. */
function checkSettings(reading: Reading, items: readonly Item[]): boolean {
  let sound = true;
  for (const [index, item] of items.entries()) {
    const called = items[index - 1];
    if (item.word !== '(' || called?.word !== 'SET_CONFIG') continue;
    const scope = argumentsOf(items, index)[2];
    const value = scope?.first === scope?.last ? items[scope?.first ?? -1] : undefined;
    if (value === undefined || !/^'?(?:f|false|off|no|0)'?$/i.test(value.token.text)) continue;
    const hint = 'Write true as its third argument, and `transaction: true` on the operation.';
    reading.report.add('sql-session', placeOf(reading, value), { statement: 'set_config(…, false)', hint });
    sound = false;
  }
  return sound;
}
