/** Rewrites PostgreSQL's SET as a function call that accepts a parameter. */
import type { Item } from '../../../read/sql/parse/tree.js';
import type { SqlText } from '../../../read/sql/sql-text.js';

/** `SELECT set_config('app.user', :[PARAM(u)], true)` for a SET with a single value; undefined for any other SET. */
export function settingFrom({ text }: SqlText, items: readonly Item[], verb: Item): string | undefined {
  const last = items.at(-1);
  const to = items.at(-2);
  if (last?.token.kind !== 'placeholder' || (to?.word !== 'TO' && to?.word !== '=')) return undefined;
  const written = text.value.slice(verb.token.end, to.token.start).trim();
  const [, name] = /^(?:(?:SESSION|LOCAL)\s+)?([\w.]+)$/i.exec(written) ?? [];
  return name && `SELECT set_config('${name}', ${last.token.text}, true)`;
}
