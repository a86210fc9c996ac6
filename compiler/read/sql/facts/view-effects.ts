/** What a statement does through the views that it names: their queries call functions, too. */
import { lexSql } from '../lexer/lexer.js';
import { outlineOf, type OutlineToken } from '../parse/outline.js';
import { parseSql } from '../parse/parser.js';
import { noPlaceholders } from '../lexer/placeholders.js';
import { isRetryable } from './retry.js';
import { sessionEffectsOf } from './session-effects.js';
import type { SqlStatement } from '../statement.js';
import type { ViewEffect } from '../statement-description.js';
import type { Dialect } from '../dialect.js';

/** A table, or a view with its query as the server writes it. */
export interface TableOrView {
  readonly name: string;
  readonly query?: string;
}

/** Those of the views that the statement names whose queries may change something, also by views that they read. */
export function viewEffects(
  { dialect, pieces }: Pick<SqlStatement, 'dialect' | 'pieces'>,
  tables: readonly TableOrView[],
): ViewEffect[] {
  const effects = effectsByName(tables, dialect);
  if (effects.size === 0) return [];
  const names = namesIn(pieces.bounds.items);
  return [...effects.values()].filter(({ view }) => names.has(view.toLowerCase()));
}

function effectsByName(tables: readonly TableOrView[], dialect: Dialect): ReadonlyMap<string, ViewEffect> {
  const views = tables.flatMap(({ name, query }) =>
    query === undefined ? [] : [{ name, items: itemsOf(query, dialect) }],
  );
  const effects = new Map<string, ViewEffect>();
  for (const { name, items } of views) {
    const effect = effectOf(name, items, dialect);
    if (effect !== undefined) effects.set(name.toLowerCase(), effect);
  }
  // A view reads others, and these may be anywhere in the list.
  for (let size = -1; size !== effects.size;) {
    size = effects.size;
    for (const { name, items } of size === 0 ? [] : views) {
      const inner = [...namesIn(items)].map((one) => effects.get(one)).find((one) => one !== undefined);
      if (inner !== undefined && !effects.has(name.toLowerCase()))
        effects.set(name.toLowerCase(), { ...inner, view: name });
    }
  }
  return effects;
}

function effectOf(view: string, items: readonly OutlineToken[], dialect: Dialect): ViewEffect | undefined {
  const tree = parseSql(items, dialect);
  const verb = items[tree.main.verbItem];
  if (isRetryable(tree, dialect)) return undefined;
  const left =
    verb &&
    sessionEffectsOf({ dialect, pieces: { verb, bounds: { items } } }).find(({ kind }) => kind === 'leaves');
  return { view, ...(left === undefined ? {} : { leaves: left.name }) };
}

function itemsOf(query: string, dialect: Dialect): OutlineToken[] {
  // PostgreSQL quotes functions whose names are keywords.
  const text = query.replaceAll(/"(left|overlay|position|right|substring)"(?=\()/g, '$1');
  const items = outlineOf(lexSql(text, dialect, noPlaceholders));
  return items.at(-1)?.word === ';' ? items.slice(0, -1) : items;
}

/** In lower case, since servers differ in when case matters; a column of the same name costs no more than a shared connection. */
function namesIn(items: readonly OutlineToken[]): ReadonlySet<string> {
  return new Set(
    items.flatMap(({ token: { kind, text } }) =>
      kind === 'word'
        ? [text.toLowerCase()]
        : kind === 'quoted-name'
          ? [text.slice(1, -1).toLowerCase()]
          : [],
    ),
  );
}
