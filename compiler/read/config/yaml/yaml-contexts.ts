/** Determines which fields are allowed in a map, by the keys above it. Used to choose between several fixes for a line. */
import { nearest } from '../../diagnostics/suggest.js';
import type { Source } from '../../source.js';
import { fieldInfo, fieldTable, type Kind } from '../field-table.js';

/** Sections with user-chosen names, and the kind of map under each name. */
const named = {
  operations: 'operation',
  datasources: 'datasource',
  authentications: 'authentication',
  mappings: 'model',
} as const;

type Section = keyof typeof named;

/**
 * The kind of a map: a kind of the field table, a section of names, the fields of a model, or a schema; undefined if any key is allowed.
 */
export type Context = Kind | Section | 'model' | 'schema' | undefined;

/** Kinds of maps that are list items. */
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

/**
 * The context of the whole file; undefined (any key) for other files, such as an API description. `text` is the source's text with some
 * fixes.
 */
export function contextOfFile({ includedAs }: Source, text: string): Context {
  if (includedAs !== undefined) return 'operations';
  return /^["']?(?:specification|operations|datasources)\b/m.test(text) ? 'configuration' : undefined;
}

/** The context of the key's value, or of each item if it is a list. */
export function contextBelow(context: Context, key: string): Context {
  if (context === 'schema') return key === 'list' ? undefined : context;
  if (isSection(context)) return named[context];
  const { holds, of } = (isKind(context) ? fieldInfo(context, key) : undefined) ?? {};
  if ((holds === 'named' || holds === 'mappings') && isSection(key)) return key;
  return holds === 'map' || holds === 'stringOrMap' || holds === 'list'
    ? of
    : holds === 'schema'
      ? holds
      : undefined;
}

/** Whether the key is a known field; undefined if any key is allowed. */
export function isField(context: Context, key: string): boolean | undefined {
  return isKind(context) ? fieldInfo(context, key) !== undefined : undefined;
}

/** Whether a list or a map is expected; undefined if either is allowed. */
export function expectedKind(context: Context): 'list' | 'map' | undefined {
  if (context === undefined || context === 'schema') return undefined;
  return inLists.has(context) ? 'list' : 'map';
}

/**
 * The cost of a key in a map: high for a field of another resource, a name with an inline value instead of a resource, a repeated key, or
 * `item` without `list`.
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
    // A misspelled field is assumed to be in the right place.
    const fields = Object.keys(fieldTable[context]);
    return fields.includes(key) || nearest(key, fields) !== undefined ? 0 : 2;
  }
  const isOther = isField(named[context], key) === true || isField('configuration', key) === true;
  return (isInline ? 2 : 0) + (isOther ? 2 : 0);
}
