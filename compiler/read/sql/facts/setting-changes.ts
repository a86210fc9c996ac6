/**
 * The parts of a PostgreSQL statement that change the role or a context setting, or could change any setting: an error for datasources with
 * a context.
 */
import type { Call, Item, SqlTree } from '../parse/tree.js';
import type { SqlStatement } from '../statement.js';

export interface SettingChange {
  /** The name used in messages: `set_config('role', …)`, `RESET ALL`. */
  readonly name: string;
  /** `unknown` if the name of the setting is computed. */
  readonly kind: 'named' | 'unknown';
}

interface PlacedChange extends SettingChange {
  readonly first: { readonly start: number; readonly end: number };
  readonly last: { readonly start: number; readonly end: number };
}

/** `names`: the context's settings in lower case. */
export function settingChanges(
  { pieces: { tree } }: SqlStatement,
  names: ReadonlySet<string>,
): PlacedChange[] {
  const { items } = tree;
  const isKept = (name: string): boolean => names.has(name.toLowerCase()) || ofRole.test(name);
  const calls = tree.nodes.flatMap((node) =>
    node.kind === 'call' && isSetConfig(items[node.name.last]) ? (changeOf(node, items, isKept) ?? []) : [],
  );
  return [...calls, ...changesOfVerb(tree, isKept)];
}

/** Settings that switch to another role. */
const ofRole = /^(?:role|session_authorization|session authorization)$/i;

function isSetConfig(item: Item | undefined): boolean {
  return item?.word === 'SET_CONFIG' || item?.token.text.toLowerCase() === '"set_config"';
}

function changeOf(
  { name, arguments: [setting] }: Call,
  items: readonly Item[],
  isKept: (name: string) => boolean,
): PlacedChange | undefined {
  const argument = items.slice(setting?.first ?? 0, (setting?.last ?? -1) + 1).map(({ token }) => token);
  const [first, last] = [items[name.first]?.token, argument.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const [, written] = /^'([\w.$ ]*)'$/.exec(argument.map(({ text }) => text).join(' ')) ?? [];
  if (written === undefined) return { name: 'set_config(…)', kind: 'unknown', first, last };
  return isKept(written) ? { name: `set_config('${written}', …)`, kind: 'named', first, last } : undefined;
}

/**
 * SET LOCAL, and `UPDATE pg_settings`, which has the effect of SET. All other forms of SET, RESET and DISCARD are errors in every service.
 */
function changesOfVerb(
  { items, main: { verbItem } }: SqlTree,
  isKept: (name: string) => boolean,
): PlacedChange[] {
  const [verb, ...rest] = items.slice(verbItem).map(({ token }) => token);
  const last = rest.at(-1);
  if (verb === undefined || last === undefined) return [];
  const text = rest.map((token) => token.text.replaceAll('"', '')).join(' ');
  const isSet = items[verbItem]?.word === 'SET';
  const isUpdate = items[verbItem]?.word === 'UPDATE';
  if (isUpdate && /^(?:ONLY )?(?:pg_catalog \. )?pg_settings\b/i.test(text))
    return [{ name: 'UPDATE pg_settings', kind: 'unknown', first: verb, last }];
  const [, written = ''] = /^LOCAL (session authorization|[\w$]+(?: \. [\w$]+)*)/i.exec(text) ?? [];
  const name = written.replaceAll(' . ', '.');
  return isSet && isKept(name) ? [{ name: `SET ${name}`, kind: 'named', first: verb, last }] : [];
}
