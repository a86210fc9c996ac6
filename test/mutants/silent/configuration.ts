/** Configurations as mutable data: the shape of their JSON, and every string that contains an expression. */
import { parse, stringify } from 'yaml';

export type Schema = string | number | boolean | null | readonly Schema[] | { [key: string]: Schema };

export interface Exception {
  if: string;
  statuscode: number;
  message: string;
}

export interface Request {
  url: string;
  httpType: string;
  header?: string[];
  body?: { contentType: string; schema: Schema };
  multipart?: Record<string, string>;
}

export interface Instruction {
  if?: string;
  query?: string;
  sql?: { query: string; parameters: { param: string }[] };
  request?: Request;
}

export interface Fulfillment {
  name: string;
  type: string;
  if?: string;
  datasource?: string;
  instructions?: Instruction[];
  queries?: Instruction[];
  join?: string | string[];
  exceptions?: Exception[];
  loop?: string;
  fulfillments?: Fulfillment[];
  loopbreak?: string | string[];
  index?: string;
  operationName?: string;
  parameters?: Record<string, Schema>;
}

export interface Response {
  name: string;
  default: boolean;
  statuscode: number;
  if?: string;
  schema?: Schema;
}

export interface Operation {
  transaction?: boolean;
  triggers?: { name: string; cron: string }[];
  fulfillments: Fulfillment[];
  responses?: Response[];
  mappings?: Record<string, Record<string, string>>;
}

export interface Config {
  specification: string;
  operations: Record<string, Operation>;
  datasources?: Record<string, { type: string; url: string; user?: string; password?: string }>;
  authentications?: Record<string, { type: string; user: string; password: string }>;
}

/** A deep copy without shared parts. */
export function copyOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Adds an empty list to operations without fulfillments; `writeConfig` removes it. */
export function readConfig(text: string): Config {
  const { operations, ...others } = copyOf(parse(text, { maxAliasCount: -1, merge: true }) as Config);
  const whole = Object.entries(operations).map(([name, operation]): [string, Operation] => [
    name,
    { ...operation, fulfillments: (operation as Partial<Operation>).fulfillments ?? [] },
  ]);
  return { ...others, operations: Object.fromEntries(whole) };
}

/** Markers for what plain data cannot represent: an empty value, and an unquoted expression in braces. */
export const left = { empty: '%EMPTY%', inBraces: '%BRACES%' };

export function writeConfig(config: Config): string {
  const operations = Object.entries(config.operations).map(([name, { fulfillments, ...others }]) => [
    name,
    fulfillments.length === 0 ? others : { fulfillments, ...others },
  ]);
  const written = { ...config, operations: Object.fromEntries(operations) as object };
  return stringify(written, { lineWidth: 0, aliasDuplicateObjects: false })
    .replaceAll(`"${left.empty}"`, '')
    .replaceAll(`"${left.inBraces}"`, '{BODY()}');
}

/** All fulfillments, including those inside loops. */
export function allFulfillments(fulfillments: readonly Fulfillment[]): Fulfillment[] {
  return fulfillments.flatMap((one) => [one, ...allFulfillments(one.fulfillments ?? [])]);
}

export function instructionsOf({ instructions, queries }: Fulfillment): Instruction[] {
  return instructions ?? queries ?? [];
}

/** The operations with their names. */
export function operationsOf(config: Config): { name: string; operation: Operation }[] {
  return Object.entries(config.operations).map(([name, operation]) => ({ name, operation }));
}

/** Whether an operation is written in Syntax B. */
export function isSyntaxB({ fulfillments, mappings }: Operation): boolean {
  return mappings !== undefined || fulfillments.some(({ queries }) => queries !== undefined);
}

export function isEndpoint(name: string): boolean {
  return /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \//i.test(name);
}

/** A string of a configuration that contains expressions. */
export interface Text {
  readonly kind: 'sql' | 'condition' | 'message' | 'url' | 'header' | 'expression';
  readonly operation: Operation;
  readonly operationName: string;
  readonly isB: boolean;
  readonly value: string;
  readonly set: (value: string) => void;
}

/** All strings with expressions. */
export function textsOf(config: Config): Text[] {
  return operationsOf(config).flatMap(({ name, operation }) => {
    const texts: Text[] = [];
    const own = { operation, operationName: name, isB: isSyntaxB(operation) };
    collect(operation, undefined, (kind, value, set) => texts.push({ kind, value, set, ...own }));
    return texts;
  });
}

type Visit = (kind: Text['kind'], value: string, set: (value: string) => void) => void;

/** Fields whose strings do not contain expressions. */
const plain = new Set(['name', 'type', 'datasource', 'operationName', 'httpType', 'contentType', 'triggers']);

const kinds: Readonly<Record<string, Text['kind']>> = {
  ...{ query: 'sql', if: 'condition', loopbreak: 'condition', message: 'message' },
  ...{ url: 'url', header: 'header', schema: 'expression', mappings: 'expression', parameters: 'expression' },
};

function collect(value: object, around: Text['kind'] | undefined, visit: Visit): void {
  for (const [key, inside] of Object.entries(value) as [string, unknown][]) {
    // A map is a mail, whose fields are no messages of exceptions.
    if (key === 'message' && around === undefined && typeof inside === 'object') continue;
    // Keys inside a schema are names of output fields.
    const isFree = around === 'expression';
    if (!isFree && plain.has(key)) continue;
    const kind = isFree ? around : (kinds[key] ?? around);
    if (typeof inside === 'string') {
      visit(kind ?? 'expression', inside, (text) => {
        (value as Record<string, unknown>)[key] = text;
      });
    } else if (typeof inside === 'object' && inside !== null) collect(inside, kind, visit);
  }
}
