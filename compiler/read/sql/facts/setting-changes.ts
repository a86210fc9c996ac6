/** Where a statement of PostgreSQL changes the role or a setting of a context, or may change any (extensions 12.4). */
import type { Call, Item, SqlTree } from '../parse/tree.js';
import type { SqlStatement } from '../statement.js';

export interface SettingChange {
  /** As messages name it: `set_config('role', …)`, `RESET ALL`. */
  readonly name: string;
  /** `unknown`: of a setting whose name is computed. */
  readonly kind: 'named' | 'unknown';
}

interface PlacedChange extends SettingChange {
  readonly first: { readonly start: number; readonly end: number };
  readonly last: { readonly start: number; readonly end: number };
}

/** `names` are those of the context in small letters. */
export function settingChanges(
  { pieces: { tree } }: SqlStatement,
  names: ReadonlySet<string>,
): PlacedChange[] {
  const { items } = tree;
  const isKept = (name: string): boolean => names.has(name.toLowerCase()) || ofRole.test(name);
  const calls = tree.nodes.flatMap((node) =>
    node.kind === 'call' && isSetConfig(items[node.name.last]) ? (changeOf(node, items, isKept) ?? []) : [],
  );
  return [...calls, ...(changeOfVerb(tree, isKept) ?? [])];
}

/** Settings that choose another role. */
const ofRole = /^(?:role|session_authorization|session authorization)$/i;

function isSetConfig(item: Item | undefined): boolean {
  return item?.word === 'SET_CONFIG' || item?.token.text.toLowerCase() === '"set_config"';
}

function changeOf(
  { name, arguments: [setting] }: Call,
  items: readonly Item[],
  isKept: (name: string) => boolean,
): PlacedChange | undefined {
  const first = items[name.first]?.token;
  const last = items[setting?.last ?? -1]?.token;
  if (first === undefined || setting === undefined || last === undefined) return undefined;
  const [, written] = setting.first === setting.last ? (/^'([\w.$ ]*)'$/.exec(last.text) ?? []) : [];
  if (written === undefined) return { name: 'set_config(…)', kind: 'unknown', first, last };
  return isKept(written) ? { name: `set_config('${written}', …)`, kind: 'named', first, last } : undefined;
}

/** SET LOCAL, RESET, DISCARD, and `UPDATE pg_settings`, which is a SET. */
function changeOfVerb(
  { items, main: { verbItem } }: SqlTree,
  isKept: (name: string) => boolean,
): PlacedChange[] | undefined {
  const verb = items[verbItem];
  if (verb === undefined) return undefined;
  const rest = items.slice(verbItem + 1);
  const last = items.at(-1)?.token ?? verb.token;
  const first = verb.token;
  const text = rest.map(({ token }) => token.text.replaceAll('"', '')).join(' ');
  if (/^(?:RESET|DISCARD)$/.test(verb.word))
    return [{ name: `${verb.word} ${text}`, kind: 'named', first, last }];
  if (verb.word === 'UPDATE' && /^(?:ONLY )?(?:pg_catalog \. )?pg_settings\b/i.test(text))
    return [{ name: 'UPDATE pg_settings', kind: 'unknown', first, last }];
  if (verb.word !== 'SET') return undefined;
  const [, written = ''] =
    /^(?:(?:SESSION|LOCAL) )?(session authorization|[\w$]+(?: \. [\w$]+)*)/i.exec(text) ?? [];
  const name = written.replaceAll(' . ', '.');
  return isKept(name) ? [{ name: `SET ${name}`, kind: 'named', first, last }] : undefined;
}
