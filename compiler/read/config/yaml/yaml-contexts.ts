/** Which fields are allowed where, by the keys above: of several fixes for a line it selects the intended one. */
import { nearest } from '../../diagnostics/suggest.js';
import type { Source } from '../../source.js';
import { resourceFields } from '../resource-fields.js';

/** Kind of a map: a resource as in the table of fields, or a section of names; undefined if any key is allowed. */
export type Context = string | undefined;

/** Sections with names that users choose, and the resource below each name. */
const named: Readonly<Record<string, Context>> = {
  operations: 'an operation',
  datasources: 'a datasource',
  authentications: 'an authentication',
  mappings: 'a mapped model',
};

const below: Readonly<Record<string, Readonly<Record<string, Context>>>> = {
  'the configuration': {
    operations: 'operations',
    datasources: 'datasources',
    authentications: 'authentications',
    settings: 'settings',
  },
  'an operation': {
    fulfillments: 'a fulfillment',
    responses: 'a response',
    triggers: 'a trigger',
    mappings: 'mappings',
  },
  'a response': { schema: 'a schema' },
  'a fulfillment': {
    fulfillments: 'a fulfillment',
    instructions: 'an instruction',
    queries: 'a query',
    exceptions: 'an exception',
  },
  'an instruction': { request: 'a request', sql: 'an instruction with sql' },
  'a request': {
    body: 'the body of a request',
    retry: 'a retry',
    pages: 'pages',
    signature: "'signature'",
  },
  'the body of a request': { schema: 'a schema' },
};

/** Resources that are items of lists. */
const inLists: ReadonlySet<Context> = new Set([
  ...['a fulfillment', 'a response', 'a trigger', 'an instruction', 'a query', 'an exception'],
]);

/** The whole file; in an API description, for example, keys are free. `text` is that of the source, fixed in part. */
export function contextOfFile({ includedAs }: Source, text: string): Context {
  if (includedAs !== undefined) return 'operations';
  return /^["']?(?:specification|operations|datasources)\b/m.test(text) ? 'the configuration' : undefined;
}

/** The context of the key's value; for a list, of each of its items. */
export function contextBelow(context: Context, key: string): Context {
  if (context === undefined) return undefined;
  if (context === 'a schema') return key === 'list' ? undefined : context;
  const inside = below[context];
  return named[context] ?? (inside !== undefined && Object.hasOwn(inside, key) ? inside[key] : undefined);
}

/** Whether the key is a field there; undefined where every key can be one. */
export function isField(context: Context, key: string): boolean | undefined {
  const fields: Readonly<Record<string, readonly string[]>> = resourceFields;
  return context === undefined || !Object.hasOwn(fields, context)
    ? undefined
    : fields[context]?.includes(key) === true;
}

/** Whether a list is expected there, or a map; undefined where either may be. */
export function expectedKind(context: Context): 'list' | 'map' | undefined {
  if (context === undefined || context === 'a schema') return undefined;
  return inLists.has(context) ? 'list' : 'map';
}

function isNearField(context: string, key: string): boolean {
  const fields: Readonly<Record<string, readonly string[]>> = resourceFields;
  return nearest(key, fields[context] ?? []) !== undefined;
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
  if (context === 'a schema')
    return (key === 'item' && !others.has('list')) || (key !== 'item' && others.has('list')) ? 2 : 0;
  if (context === 'a mapped model') return isInline ? 0 : 2;
  const inside = named[context];
  // A misspelt field belongs where it is.
  if (inside === undefined) return isField(context, key) === false && !isNearField(context, key) ? 2 : 0;
  const isOther = isField(inside, key) === true || isField('the configuration', key) === true;
  return (isInline ? 2 : 0) + (isOther ? 2 : 0);
}
