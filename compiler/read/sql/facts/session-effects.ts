/** The effects of a statement on its session, and the session state that it reads, with one table of names per dialect. */
import type { Dialect } from '../dialect.js';
import { parseText } from '../parse/parse-text.js';
import { variableUses } from './session-variables.js';
import type { SqlStatement } from '../statement.js';
import { ancestors, clauseOf, type Call, type Item, type SqlNode, type SqlTree } from '../parse/tree.js';
import { isExecutableComment, type Token } from '../lexer/token.js';
import { wordSet } from '../../wordset.js';

export interface SessionEffect {
  /**
   * - `reads`: reads session state from an earlier statement.
   * - `leaves`: leaves state on the connection, even after a transaction.
   * - `ends`: sets state that ends with the transaction, so it has no effect outside a transaction.
   * - `own`: reads state set by the same statement, in an order that the server does not guarantee.
   * - `setting`: reads a custom setting, which a transaction or another statement must set.
   */
  readonly kind: 'reads' | 'leaves' | 'ends' | 'own' | 'setting';
  /** The name used in messages: `last_insert_id()`, `CREATE TEMPORARY TABLE`. */
  readonly name: string;
  readonly item: Item;
  /** The last token, if there are several. */
  readonly last?: Item | undefined;
  /** The suggested replacement, outside or inside a transaction. */
  readonly instead?: Instead | undefined;
}

/** `alone`: a replacement that does not need a transaction. */
export type Instead = { readonly alone: string } | { readonly inTransaction: string };

type Named = Pick<SessionEffect, 'kind' | 'instead'> & {
  /** The function that must be called earlier in the same statement, because it creates the state that is read. */
  readonly maker?: RegExp;
};

const insertId: Named = { kind: 'reads', instead: { alone: 'Read `insert_id` of the result of the INSERT' } };
const sequence: Named = {
  kind: 'reads',
  instead: { alone: 'Write RETURNING in the INSERT, and read its result' },
  maker: /^(?:NEXTVAL|SETVAL)$/,
};
const leaves: Named = { kind: 'leaves' };
const reads: Named = { kind: 'reads' };
const lock = (name: string): Named => ({ kind: 'leaves', instead: { inTransaction: `write ${name} here` } });
const remoteConnection: Named = {
  kind: 'leaves',
  instead: { alone: 'Write dblink(…) with the connection string itself' },
};

const placeholder: Instead = { alone: 'Pass the value as a placeholder' };

/** Functions, keyed by upper-case name. */
const functions: Readonly<Record<Dialect, Readonly<Record<string, Named>>>> = {
  postgresql: {
    CURRVAL: sequence,
    LASTVAL: sequence,
    PG_ADVISORY_LOCK: lock('pg_advisory_xact_lock'),
    PG_ADVISORY_LOCK_SHARED: lock('pg_advisory_xact_lock_shared'),
    PG_TRY_ADVISORY_LOCK: lock('pg_try_advisory_xact_lock'),
    PG_TRY_ADVISORY_LOCK_SHARED: lock('pg_try_advisory_xact_lock_shared'),
    PG_ADVISORY_UNLOCK: { kind: 'reads', instead: { inTransaction: 'lock with pg_advisory_xact_lock' } },
    PG_ADVISORY_UNLOCK_SHARED: {
      kind: 'reads',
      instead: { inTransaction: 'lock with pg_advisory_xact_lock' },
    },
    PG_ADVISORY_UNLOCK_ALL: { kind: 'reads', instead: { inTransaction: 'lock with pg_advisory_xact_lock' } },
    SETSEED: leaves,
    DBLINK_CONNECT: remoteConnection,
    DBLINK_CONNECT_U: remoteConnection,
    DBLINK_DISCONNECT: reads,
    DBLINK_OPEN: leaves,
    DBLINK_FETCH: reads,
    DBLINK_CLOSE: reads,
    DBLINK_SEND_QUERY: leaves,
    DBLINK_GET_RESULT: reads,
  },
  mysql: {
    LAST_INSERT_ID: insertId,
    FOUND_ROWS: { kind: 'reads', instead: { alone: 'Count with SELECT count(*) in a separate query' } },
    ROW_COUNT: { kind: 'reads', instead: { alone: 'Read `affected_rows` of the result of the change' } },
    LASTVAL: { ...insertId, maker: /^(?:NEXTVAL|SETVAL)$/ },
    GET_LOCK: leaves,
    RELEASE_LOCK: reads,
    RELEASE_ALL_LOCKS: reads,
  },
};

/** Verbs that have an effect by themselves, without any function. */
const verbs: Readonly<Record<Dialect, Readonly<Record<string, Named>>>> = {
  postgresql: { LOAD: leaves, FETCH: reads, MOVE: reads, CLOSE: reads },
  mysql: { HANDLER: leaves, BACKUP: leaves },
};

/** Server variables that describe an earlier statement. */
const diagnosticVariables: Readonly<Record<string, Named>> = {
  IDENTITY: insertId,
  LAST_INSERT_ID: insertId,
  INSERT_ID: insertId,
  WARNING_COUNT: reads,
  ERROR_COUNT: reads,
};

/** Verbs of statements that can name functions without calling them. */
const definingVerbs = wordSet('ALTER COMMENT CREATE DROP GRANT REVOKE SECURITY');

interface Pieces extends Pick<SqlStatement, 'dialect'> {
  readonly pieces: {
    readonly tree: SqlTree;
    /** The tokens of a statement; undefined for the queries of views, which servers store without comments. */
    readonly tokens?: readonly Token[];
  };
}

/** All effects of a statement, in source order. */
export function sessionEffectsOf({ dialect, pieces: { tree, tokens = [] } }: Pieces): SessionEffect[] {
  const { verb } = tree.main;
  const found = [
    ...tokens.flatMap((token, index) => effectsInComment(token, index, verb)),
    ...effectsOfStatement(tree, dialect),
    ...effectsInside(tree, { dialect, verb }),
  ];
  return found.sort((a, b) => a.item.index - b.item.index);
}

/** The effects of the SQL inside a comment that the server executes: `/*!50000 … *\/`. */
function effectsInComment(token: Token, index: number, verb: string): SessionEffect[] {
  if (!isExecutableComment(token)) return [];
  const content = token.text.slice(token.opener.length, -token.closer.length).replace(/^\d+/, '');
  const tree = parseText(content, 'mysql');
  // Messages show the whole comment.
  return effectsInside(tree, { dialect: 'mysql', verb }).map((effect) => ({
    ...effect,
    item: { ...effect.item, token, index },
    last: undefined,
  }));
}

interface Around {
  readonly dialect: Dialect;
  readonly verb: string;
}

/** The effects of variables, calls and names in the statement. */
function effectsInside(tree: SqlTree, around: Around): SessionEffect[] {
  const variables = around.dialect === 'mysql' ? variableUses(tree, around.verb) : [];
  return [
    ...variables.map((use) => ({ ...use, instead: placeholder })),
    ...tree.nodes.flatMap((node) => effectOf(node, tree, around) ?? []),
  ];
}

/** Whether the statement leaves state on the connection after its transaction has ended. */
export function changesSession(statement: Pieces): boolean {
  return sessionEffectsOf(statement).some(
    ({ kind, name }) => kind === 'leaves' || (kind === 'own' && name.startsWith('@')),
  );
}

function effectsOfStatement({ items, main }: SqlTree, dialect: Dialect): SessionEffect[] {
  const verb = items[main.verbItem];
  if (verb === undefined) return [];
  const words = items.slice(main.verbItem, main.verbItem + 5).map(({ word }) => word);
  const text = words.join(' ');
  const named = Object.hasOwn(verbs[dialect], verb.word) ? verbs[dialect][verb.word] : undefined;
  if (named !== undefined) return [{ ...named, name: verb.word, item: verb }];
  const temporary =
    /^(CREATE|DROP) (?:OR REPLACE )?(?:(?:GLOBAL|LOCAL) )?TEMP(?:ORARY)?\b(?: (?:TABLE|VIEW|SEQUENCE)\b)?/.exec(
      text,
    );
  if (temporary !== null) {
    const isDropped = hasWords(items, ['ON', 'COMMIT', 'DROP']);
    const kind = temporary[1] === 'DROP' ? 'reads' : isDropped ? 'ends' : 'leaves';
    return [{ kind, name: temporary[0], item: verb }];
  }
  return dialect === 'postgresql' ? ofPostgresql(items, verb, words) : ofMysql(items, verb, words);
}

function ofPostgresql(
  items: readonly Item[],
  verb: Item,
  [, next = '', ...rest]: readonly string[],
): SessionEffect[] {
  switch (verb.word) {
    case 'SET':
      return settingScopes.has(next) ? [{ kind: 'ends', name: `SET ${next}`, item: verb }] : [];
    case 'DECLARE': {
      // `DECLARE c CURSOR WITHOUT HOLD FOR …` ends with the transaction.
      const stays = hasWords(items, ['WITH', 'HOLD']);
      return [{ kind: stays ? 'leaves' : 'ends', name: 'DECLARE', item: verb }];
    }
    case 'UPDATE': {
      const table = next === 'PG_CATALOG' ? rest[1] : next;
      return table === 'PG_SETTINGS' ? [{ ...setInTransaction, name: 'UPDATE pg_settings', item: verb }] : [];
    }
    case 'DO':
      return bodyEffects(items, verb);
    default:
      return [];
  }
}

const settingScopes = wordSet('LOCAL TRANSACTION CONSTRAINTS');

const setInTransaction: Named = {
  kind: 'leaves',
  instead: { inTransaction: 'write SET LOCAL here' },
};

/** Statements that leave session state, inside the body of a DO block (a string). */
const inBody =
  /(?:^|;|\b(?:begin|then|else|loop)\b)\s*(?:set\s+(?!local\b|transaction\b|constraints\b)|reset\b|load\b|listen\b|create\s+(?:global\s+|local\s+)?temp)|\b(?:pg_(?:try_)?advisory_lock\w*|setseed|dblink_connect\w*)\s*\(|\bset_config\s*\((?![^()]*,\s*true\s*\))/i;

function bodyEffects(items: readonly Item[], verb: Item): SessionEffect[] {
  const body = items.find(({ token }) => token.kind === 'literal' && inBody.test(contentOf(token.text)));
  return body === undefined ? [] : [{ kind: 'leaves', name: 'The block', item: verb }];
}

/** The content of `'…'` or `$tag$…$tag$`. */
function contentOf(text: string): string {
  return text.replace(/^(?:\$[^$]*\$|')/, '').replace(/(?:\$[^$]*\$|')$/, '');
}

function ofMysql(items: readonly Item[], verb: Item, [, next = '']: readonly string[]): SessionEffect[] {
  const shown = items.find(({ word }) => word === 'WARNINGS' || word === 'ERRORS')?.word;
  if (verb.word === 'SHOW' && shown !== undefined)
    return [{ kind: 'reads', name: `SHOW ${shown}`, item: verb }];
  if (verb.word === 'GET' && (next === 'DIAGNOSTICS' || next === 'CURRENT'))
    return [{ kind: 'reads', name: 'GET DIAGNOSTICS', item: verb }];
  const locks = hasWords(items, ['WITH', 'READ', 'LOCK']) || hasWords(items, ['FOR', 'EXPORT']);
  return verb.word === 'FLUSH' && locks ? [{ kind: 'leaves', name: 'FLUSH TABLES', item: verb }] : [];
}

function hasWords(items: readonly Item[], words: readonly string[]): boolean {
  return items.some((_, index) => words.every((word, offset) => items[index + offset]?.word === word));
}

function effectOf(node: SqlNode, tree: SqlTree, { dialect, verb }: Around): SessionEffect | undefined {
  const { items } = tree;
  const item = items[node.first];
  if (item === undefined) return undefined;
  if (dialect === 'postgresql' && node.kind === 'name' && nameOf(item) === 'PG_TEMP' && node.parts.length > 1)
    return { kind: verb === 'CREATE' ? 'leaves' : 'reads', name: 'pg_temp', item };
  if (definingVerbs.has(verb)) return undefined;
  if (node.kind === 'call') return ofCall(node, tree, { dialect, verb });
  if (dialect === 'mysql') return ofMysqlNode(node, item, items);
  if (verb !== 'SELECT' || node.kind !== 'clause' || node.name !== 'INTO' || node.children.length === 0)
    return undefined;
  const temporary = node.modifiers.find((word) => /^TEMP(?:ORARY)?$/.test(word));
  return temporary ? { kind: 'leaves', name: `SELECT … INTO ${temporary}`, item } : undefined;
}

/** The upper-case word or quoted name. */
function nameOf({ token, word }: Item): string {
  return token.kind === 'quoted-name' ? token.text.slice(1, -1).toUpperCase() : word;
}

function ofCall(call: Call, tree: SqlTree, { dialect, verb }: Around): SessionEffect | undefined {
  const { items } = tree;
  const { parts, last } = call.name;
  const item = items[last];
  if (item === undefined) return undefined;
  const name = nameOf(item);
  const isOwn = parts.length > 1 && items[parts.at(-2) ?? -1]?.word !== 'PG_CATALOG';
  // Extensions can be in any schema; a qualified `app.currval(…)` is a user-defined function, not the built-in one.
  if (isOwn && !name.startsWith('DBLINK_')) return undefined;
  if (dialect === 'postgresql' && name === 'SET_CONFIG') return ofSetConfig(call, item, tree, verb);
  if (dialect === 'postgresql' && name === 'CURRENT_SETTING') return ofCurrentSetting(call, item, items);
  const named = Object.hasOwn(functions[dialect], name) ? functions[dialect][name] : undefined;
  // `last_insert_id(n + 1)` sets the value returned as `insert_id` of the statement.
  if (named === undefined || (name === 'LAST_INSERT_ID' && call.arguments.length > 0)) return undefined;
  const { kind, instead, maker } = named;
  const isMade = maker !== undefined && (isReturned(call) || calls(tree, maker));
  return { kind: isMade ? 'own' : kind, name: `${name.toLowerCase()}()`, item, instead };
}

function isReturned(call: Call): boolean {
  if (call.clause?.name === 'RETURNING') return true;
  for (const around of ancestors(call))
    if (around.kind === 'clause' && around.name === 'RETURNING') return true;
  return false;
}

/** Whether the statement calls a function that matches `name`. */
function calls({ nodes, items }: SqlTree, name: RegExp): boolean {
  return nodes.some((node) => {
    const item = node.kind === 'call' ? items[node.name.last] : undefined;
    return item !== undefined && name.test(nameOf(item));
  });
}

function ofSetConfig(
  call: Call,
  item: Item,
  { main, items }: SqlTree,
  verb: string,
): SessionEffect | undefined {
  const [, , scope] = call.arguments;
  if (scope === undefined) return undefined;
  const isLocal =
    scope.first === scope.last && /^'?(?:t|true|on|yes|1)'?$/i.test(items[scope.first]?.token.text ?? '');
  if (!isLocal) {
    const instead = { inTransaction: 'write true as its third argument' };
    return { kind: 'leaves', name: 'set_config', item, instead };
  }
  // Reports only the first of several `set_config` columns. If there are other columns, the statement itself uses the setting.
  const columns = clauseOf(main, 'SELECT')?.children ?? [];
  const isFirst = verb === 'SELECT' && columns[0]?.first === call.first && main.clauses.length === 1;
  return isFirst && columns.every((column) => isSetting(column, items))
    ? { kind: 'ends', name: 'set_config(…, true)', item }
    : undefined;
}

/** Whether the column is a call of `set_config`. */
function isSetting(column: SqlNode, items: readonly Item[]): boolean {
  if (column.kind !== 'column' || column.value.kind !== 'call') return false;
  return items[column.value.name.first]?.word === 'SET_CONFIG';
}

/** Custom settings, excluding those of PostgreSQL's bundled modules, which also contain a dot. */
const ownSetting = /^'(?!(?:pg_\w*|plpgsql|auto_explain)\.)\w+\.[\w.]+'$/i;

function ofCurrentSetting(
  { arguments: [argument] }: Call,
  item: Item,
  items: readonly Item[],
): SessionEffect | undefined {
  const written = items[argument?.first ?? -1]?.token.text ?? '';
  const isSet = items.some((other) => nameOf(other) === 'SET_CONFIG');
  return argument?.first === argument?.last && ownSetting.test(written) && !isSet
    ? { kind: 'setting', name: `current_setting(${written})`, item }
    : undefined;
}

/** `@@identity`, `PREVIOUS VALUE FOR s`, `s.currval`, SQL_CALC_FOUND_ROWS. */
function ofMysqlNode(node: SqlNode, item: Item, items: readonly Item[]): SessionEffect | undefined {
  const last = items[node.last] ?? item;
  switch (node.kind) {
    case 'clause': {
      const at = node.modifiers.indexOf('SQL_CALC_FOUND_ROWS');
      const word = at === -1 ? undefined : items[node.first + 1 + at];
      return word && countedRows(word);
    }
    case 'operation':
      return node.operator === 'PREVIOUS VALUE FOR'
        ? { ...sequenceOfMysql, name: 'PREVIOUS VALUE', item }
        : undefined;
    case 'name':
      return node.parts.length > 1 && last.word === 'CURRVAL'
        ? { ...sequenceOfMysql, name: 'currval', item: last }
        : undefined;
    case 'variable': {
      const name = nameOf(last);
      const isOfServer = items[node.first + 1]?.word === '@' && items[node.first + 2]?.word !== 'GLOBAL';
      const named =
        isOfServer && Object.hasOwn(diagnosticVariables, name) ? diagnosticVariables[name] : undefined;
      return (
        named && { kind: named.kind, name: `@@${name.toLowerCase()}`, item: last, instead: named.instead }
      );
    }
    default:
      return undefined;
  }
}

function countedRows(item: Item): SessionEffect {
  const instead = { alone: 'Count with SELECT count(*) in a separate query' };
  return { kind: 'ends', name: 'SQL_CALC_FOUND_ROWS', item, instead };
}

const sequenceOfMysql = { kind: 'reads', instead: insertId.instead } as const;
