/** Which fields are allowed where, by the keys above: of several fixes for a line it selects the intended one. */
import { nearest } from '../../diagnostics/suggest.js';
import type { Source } from '../../source.js';
import { fieldInfo, fieldTable, type Kind } from '../field-table.js';

/** Sections with names that users choose, and the kind of map below each name. */
const named = {
  operations: 'operation',
  datasources: 'datasource',
  authentications: 'authentication',
  mappings: 'model',
} as const;

type Section = keyof typeof named;

/** Kind of a map: that of the table of fields, a section of names, the fields of a model, or a schema; undefined if any key is allowed. */
export type Context = Kind | Section | 'model' | 'schema' | undefined;

/** Kinds that are items of lists. */
const inLists: ReadonlySet<Context> = new Set(
  Object.values(fieldTable).flatMap((fields) =>
    Object.values(fields).flatMap(({ holds, of }) => (holds === 'list' ? [of] : [])),
  ),
);

function isSection(name: string | undefined): name is Section {
  return name !== undefined && Object.hasOwn(named, name);
}

export function isKind(context: Context): context is Kind {
  return context !== undefined && Object.hasOwn(fieldTable, context);
}

/** The whole file; in an API description, for example, keys are free. `text` is that of the source, fixed in part. */
export function contextOfFile({ includedAs }: Source, text: string): Context {
  if (includedAs !== undefined) return 'operations';
  return /^["']?(?:specification|operations|datasources)\b/m.test(text) ? 'configuration' : undefined;
}

/** The context of the key's value; for a list, of each of its items. */
export function contextBelow(context: Context, key: string): Context {
  if (context === 'schema') return key === 'list' ? undefined : context;
  if (isSection(context)) return named[context];
  const { holds, of } = (isKind(context) ? fieldInfo(context, key) : undefined) ?? {};
  if ((holds === 'named' || holds === 'mappings') && isSection(key)) return key;
  return holds === 'map' || holds === 'list' ? of : holds === 'schema' ? holds : undefined;
}

/** Whether the key is a field there; undefined where every key can be one. */
export function isField(context: Context, key: string): boolean | undefined {
  return isKind(context) ? fieldInfo(context, key) !== undefined : undefined;
}

/** Whether a list is expected there, or a map; undefined where either may be. */
export function expectedKind(context: Context): 'list' | 'map' | undefined {
  if (context === undefined || context === 'schema') return undefined;
  return inLists.has(context) ? 'list' : 'map';
}

/**
 * The cost of a key there, among the keys of the map: a field of another resource, a name with a value in its line instead of a resource, a
 * repeated key, `item` without `list`.
 */
export function costOfKey(
  context: Context,
  key: string,
  { isInline, others }: { readonly isInline: boolean; readonly others: ReadonlySet<string> },
): number {
  if (others.has(key)) return 2;
  if (context === undefined) return 0;
  if (context === 'schema')
    return (key === 'item' && !others.has('list')) || (key !== 'item' && others.has('list')) ? 2 : 0;
  if (context === 'model') return isInline ? 0 : 2;
  if (isKind(context)) {
    // A misspelt field belongs where it is.
    const fields = Object.keys(fieldTable[context]);
    return fields.includes(key) || nearest(key, fields) !== undefined ? 0 : 2;
  }
  const isOther = isField(named[context], key) === true || isField('configuration', key) === true;
  return (isInline ? 2 : 0) + (isOther ? 2 : 0);
}
