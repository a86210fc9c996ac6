/** Which fields belong where, by the keys above: of several ways to mend a line it tells the one that was meant. */
import { resourceFields } from './resource-fields.js';

/** What a map stands for: a resource as in the table of fields, or a section of names; undefined where keys are free. */
export type Context = string | undefined;

/** What is in a section under the user's own names. */
const named: Readonly<Record<string, Context>> = {
  operations: 'an operation',
  datasources: 'a datasource',
  authentications: 'an authentication',
};

const below: Readonly<Record<string, Readonly<Record<string, Context>>>> = {
  'the configuration': {
    operations: 'operations',
    datasources: 'datasources',
    authentications: 'authentications',
    settings: 'settings',
  },
  'an operation': { fulfillments: 'a fulfillment', responses: 'a response', triggers: 'a trigger' },
  'a fulfillment': {
    fulfillments: 'a fulfillment',
    instructions: 'an instruction',
    queries: 'a query',
    exceptions: 'an exception',
  },
  'an instruction': { request: 'a request', sql: 'an instruction with sql' },
  'a request': { body: 'the body of a request' },
};

/** The whole file; in an API description, for example, keys are free. */
export function contextOfFile(text: string): Context {
  return /^["']?(?:specification|operations|datasources)\b/m.test(text) ? 'the configuration' : undefined;
}

/** What the value of the key stands for; of a list, each of its items. */
export function contextBelow(context: Context, key: string): Context {
  if (context === undefined) return undefined;
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
