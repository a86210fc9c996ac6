/** Effects of a statement through the views, functions and triggers that it runs: their SQL can call functions, too. */
import type { Dialect } from '../dialect.js';
import { lexSql } from '../lexer/lexer.js';
import { noPlaceholders } from '../lexer/placeholders.js';
import { wordSet } from '../../wordset.js';
import { parseText } from '../parse/parse-text.js';
import { itemsOf, parseSql } from '../parse/parser.js';
import type { Item, SqlTree } from '../parse/tree.js';
import type { SqlStatement } from '../statement.js';
import type { ViewEffect } from '../statement-description.js';
import { lastPart, plain } from './server-names.js';
import { isRetryable } from './retry.js';
import { sessionEffectsOf } from './session-effects.js';
import { tableNames } from './table-names.js';

/** A table, a view with its query in the server's form, or a function with its body. */
export interface SchemaObject {
  readonly name: string;
  readonly query?: string;
  readonly body?: string;
  /** The functions called by the table's triggers. */
  readonly triggers?: readonly string[];
}

/** Finds the views used whose queries may change something, and the functions used that leave state on the connection. */
export type FindViewEffects = (statement: Pick<SqlStatement, 'pieces'>) => ViewEffect[];

/** Analyzes all views and functions of a database once, for all statements. */
export function viewEffectsIn(objects: readonly SchemaObject[], dialect: Dialect): FindViewEffects {
  const triggers = new Map<string, readonly string[]>();
  for (const { name, triggers: called = [] } of objects) {
    const table = unqualified(name);
    triggers.set(table, [...(triggers.get(table) ?? []), ...called.map((one) => one.toLowerCase())]);
  }
  const effects = effectsOf(objects, triggers, dialect);
  return ({ pieces }) => {
    if (effects.length === 0) return [];
    const used = usesOf(pieces.tree, triggers, dialect);
    return effects.filter((effect) => isUsed(effect, used));
  };
}

/** The names and calls in a text, in lower case, because servers differ in case sensitivity. */
interface Uses {
  /** All names, including columns: a column with the name of a function only costs a shared connection. */
  readonly names: ReadonlySet<string>;
  /** The called functions, including functions of triggers on changed tables. */
  readonly calls: ReadonlySet<string>;
}

/** The functions called by triggers, in lower case, keyed by table. */
type Triggers = ReadonlyMap<string, readonly string[]>;

function isUsed({ view, isFunction }: ViewEffect, { names, calls }: Uses): boolean {
  return (isFunction === true ? calls : names).has(unqualified(view));
}

/** The name in lower case, without the schema. */
function unqualified(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase();
}

/** The effects of all views and functions, including indirect effects. */
function effectsOf(objects: readonly SchemaObject[], triggers: Triggers, dialect: Dialect): ViewEffect[] {
  const read = objects.flatMap(({ name, query, body }) => {
    if (query !== undefined) return [readView(name, query, triggers, dialect)];
    return body === undefined ? [] : [readFunction(name, body, triggers, dialect)];
  });
  const effects = new Map<ReadObject, ViewEffect>();
  for (const one of read) if (one.effect !== undefined) effects.set(one, one.effect);
  // Objects use other objects in any order, so repeat until nothing new is found.
  for (let size = -1; size !== effects.size;) {
    size = effects.size;
    for (const one of size === 0 ? [] : read) {
      if (effects.get(one)?.leaves !== undefined) continue;
      const used = [...effects.values()].filter((effect) => isUsed(effect, one.uses));
      const inner = used.find(({ leaves }) => leaves !== undefined) ?? (one.isFunction ? undefined : used[0]);
      if (inner === undefined || (inner.leaves === undefined && effects.has(one))) continue;
      effects.set(one, effectFor(one, inner.leaves));
    }
  }
  return [...effects.values()];
}

interface ReadObject {
  readonly name: string;
  readonly isFunction: boolean;
  readonly uses: Uses;
  readonly effect: ViewEffect | undefined;
}

function effectFor(
  { name, isFunction }: Pick<ReadObject, 'name' | 'isFunction'>,
  leaves: string | undefined,
): ViewEffect {
  return { view: name, ...(isFunction ? { isFunction } : {}), ...(leaves === undefined ? {} : { leaves }) };
}

function readView(name: string, query: string, triggers: Triggers, dialect: Dialect): ReadObject {
  // PostgreSQL quotes functions whose names are keywords.
  const text = query.replaceAll(/"(left|overlay|position|right|substring)"(?=\()/g, '$1');
  const tree = parseText(text, dialect);
  const one = { name, isFunction: false, uses: usesOf(tree, triggers, dialect) };
  return {
    ...one,
    effect: isRetryable(tree, dialect) ? undefined : effectFor(one, leftBy(tree, dialect)),
  };
}

/** The name of the effect that the text leaves on its connection, for messages. */
function leftBy(tree: SqlTree, dialect: Dialect): string | undefined {
  return sessionEffectsOf({ dialect, pieces: { tree } }).find(({ kind }) => kind === 'leaves')?.name;
}

/** Tokens after which a statement of a body begins. */
const statementStarts = wordSet('; BEGIN THEN ELSE LOOP DECLARE');

function readFunction(name: string, body: string, triggers: Triggers, dialect: Dialect): ReadObject {
  const tokens = lexSql(body, dialect, noPlaceholders);
  const trees = statementsIn(itemsOf(tokens)).map(({ start, end }) =>
    parseSql(itemsOf(tokens.slice(start, end)), dialect),
  );
  const uses = trees.map((tree) => usesOf(tree, triggers, dialect));
  const all = (part: keyof Uses): ReadonlySet<string> => new Set(uses.flatMap((one) => [...one[part]]));
  const one = {
    name,
    isFunction: true,
    uses: { names: all('names'), calls: all('calls') },
  };
  const left = trees
    .map((tree) => settingIn(tree) ?? leftBy(tree, dialect))
    .find((found) => found !== undefined);
  return { ...one, effect: left === undefined ? undefined : effectFor(one, left) };
}

/** The statements of a body, as ranges of token indexes. */
function statementsIn(items: readonly Item[]): { readonly start: number; readonly end: number }[] {
  const found: { start: number; end: number }[] = [];
  let from: number | undefined;
  for (const { word, index } of items) {
    if (statementStarts.has(word)) {
      if (from !== undefined) found.push({ start: from, end: index });
      from = undefined;
    } else from ??= index;
  }
  if (from !== undefined) found.push({ start: from, end: (items.at(-1)?.index ?? from) + 1 });
  return found;
}

/** `SET app.tenant = 'a'` in a function body; in a statement of the configuration, this is an error. */
function settingIn({ main, items }: SqlTree): string | undefined {
  const next = items[main.verbItem + 1]?.word ?? '';
  if (main.verb === 'SET') return /^(?:LOCAL|TRANSACTION|CONSTRAINTS)$/.test(next) ? undefined : 'SET';
  return /^(?:LISTEN|RESET)$/.test(main.verb) ? main.verb : undefined;
}

function usesOf(tree: SqlTree, triggers: Triggers, dialect: Dialect): Uses {
  const isName = ({ token }: Item): boolean => token.kind === 'word' || token.kind === 'quoted-name';
  const calls = tree.nodes.flatMap((node) => (node.kind === 'call' ? [lastPart(tree, node.name)] : []));
  const { writes } = tableNames({ dialect, pieces: { tree } });
  return {
    names: new Set(tree.items.filter(isName).map(plain)),
    calls: new Set([...calls, ...writes.flatMap((name) => triggers.get(unqualified(name)) ?? [])]),
  };
}
