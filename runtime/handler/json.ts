/**
 * JSON values, access by configured paths (`$.items[0].id`), and tracking of strings that are the digits of numbers too long for a
 * double. No function throws.
 */

export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [name: string]: Json;
}

/** A number, or a string of its digits if it does not fit in a double. */
export type ExactNumber = number | string;

/** A row of a database result: values by column name, in column order. */
export type Row<Columns extends string = string> = { [column in Columns]: Json };

/** The path step `[*]`: every element of an array. */
export const every: unique symbol = Symbol('[*]');

/** A path step: `.name` or `['any name']`, `[n]` (negative: from the end), `[*]`. */
export type Step = string | number | typeof every;

/**
 * The value at a path; null if a step does not find a value.
 * A name applied to an array reads from the first element; only own properties are read. `every` returns an array with the result of
 * the remaining steps for each element (null for elements without a value; a second `every` does not nest), or null if the value is not
 * an array.
 */
export function get(value: Json | undefined, ...steps: readonly Step[]): Json {
  return walk(value ?? null, steps, 0);
}

function walk(start: Json, steps: readonly Step[], from: number): Json {
  let value = start;
  for (let index = from; ; index += 1) {
    const step = steps[index];
    if (step === undefined || value === null) return value;
    if (step === every) return Array.isArray(value) ? walkEvery(value, steps, index + 1) : null;
    value = typeof step === 'number' ? element(value, step) : property(value, step);
  }
}

function walkEvery(elements: readonly Json[], steps: readonly Step[], from: number): Json[] {
  const found = elements.map((value) => walk(value, steps, from));
  if (hasNumbers(elements)) noteFound(found, elements, steps.slice(from));
  // A second [*] has returned a list for each element; join these lists.
  return steps.includes(every, from) ? found.flatMap((values) => values ?? []) : found;
}

/** Marks found values that are numbers too long for a double. */
function noteFound(found: Json[], elements: readonly Json[], steps: readonly Step[]): void {
  const last = steps.at(-1);
  note(found, (position) => {
    const index = Number(position);
    return last === undefined || last === every
      ? isNumberIn(elements, index)
      : isNumberAt(elements[index] ?? null, steps);
  });
}

/** Whether the string at the path consists of the digits of a number too long for a double. False for paths that end in `every`. */
export function isNumberAt(value: Json | undefined, steps: readonly Step[]): boolean {
  const last = steps.at(-1);
  if (last === undefined || last === every) return false;
  const owner = walk(value ?? null, steps.slice(0, -1), 0);
  return typeof last === 'number'
    ? isNumberIn(owner, Array.isArray(owner) && last < 0 ? owner.length + last : last)
    : isNumberIn(ownerOf(owner), last);
}

function element(value: Json, index: number): Json {
  return Array.isArray(value) ? (value.at(index) ?? null) : null;
}

function property(value: Json, name: string): Json {
  const owner = ownerOf(value);
  if (owner === null || typeof owner !== 'object' || !Object.hasOwn(owner, name)) return null;
  return owner[name] ?? null;
}

/** The value from which a name is read; for an array, the first element. */
function ownerOf(value: Json): Exclude<Json, Json[]> {
  let owner = value;
  while (Array.isArray(owner)) owner = owner[0] ?? null;
  return owner;
}

/** A value as a string for messages: null becomes an empty string, arrays and objects become JSON. */
export function textOf(value: Json | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Whether the value is an object, and not a list. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `SIZE(x)`: the length of an array, the number of fields of an object, 0 for null, 1 for any other value. */
export function size(value: Json | undefined): number {
  if (value === null || value === undefined) return 0;
  if (typeof value !== 'object') return 1;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/**
 * The marked numbers: for an object, the names of strings that are the digits of a number; for an array, their indexes. Objects and
 * arrays that contain marked numbers at any depth also have an entry.
 */
const numbers = new WeakMap<object, Set<string>>();

/** Whether the object or array contains marked numbers at any depth. */
export function hasNumbers(value: unknown): boolean {
  return typeof value === 'object' && value !== null && numbers.has(value);
}

/** Whether the string with this name or index is a marked number. */
export function isNumberIn(value: unknown, name: string | number): boolean {
  return typeof value === 'object' && value !== null && numbers.get(value)?.has(String(name)) === true;
}

/** Marks the numbers in a document. `rounded` is the same document, parsed with rounded numbers. */
export function noteNumbers(exact: unknown, rounded: unknown): void {
  if (typeof exact !== 'object' || exact === null) return;
  for (const [name, part] of Object.entries(exact) as [string, unknown][])
    noteNumbers(part, (rounded as Readonly<Record<string, unknown>>)[name]);
  note(exact, (name, part) => {
    return (
      typeof part === 'string' && typeof (rounded as Readonly<Record<string, unknown>>)[name] === 'number'
    );
  });
}

/** Marks the numbers in an object created from a part of a document. `part` maps the names of such strings to true. */
export function noteNumbersOf(owner: object, part: Readonly<Record<string, boolean>>): void {
  note(owner, (name) => part[name] === true);
}

function note(owner: object, isNumber: (name: string, part: unknown) => boolean): void {
  const parts = Object.entries(owner) as [string, unknown][];
  const found = new Set(parts.filter(([name, part]) => isNumber(name, part)).map(([name]) => name));
  if (found.size > 0 || parts.some(([, part]) => hasNumbers(part))) numbers.set(owner, found);
}
