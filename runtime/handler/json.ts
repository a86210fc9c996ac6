/** JSON values, access by the configuration's paths (`$.items[0].id`), and which strings are the digits of numbers that a double cannot hold. No function throws. */

export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [name: string]: Json;
}

/** A number, or a string of its digits if a double cannot hold it. */
export type ExactNumber = number | string;

/** One row of a database result: values by column name, in the order of the columns. */
export type Row<Columns extends string = string> = { [column in Columns]: Json };

/** The step `[*]`: every element of an array. */
export const every: unique symbol = Symbol('[*]');

/** One step of a path: `.name` or `['any name']`, `[n]` (negative: from the end), `[*]`. */
export type Step = string | number | typeof every;

/**
 * The value at a path; null if a step finds nothing.
 * A name on an array reads from its first element; only own properties are read. `every` is an array with the value
 * that the remaining steps find in each element (null if they find nothing; a second `every` does not nest). It is null if the
 * value is not an array.
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
  // A second [*] has made one list for each element: join them to one.
  return steps.includes(every, from) ? found.flatMap((values) => values ?? []) : found;
}

/** Notes which of the found values are numbers that a double cannot hold. */
function noteFound(found: Json[], elements: readonly Json[], steps: readonly Step[]): void {
  const last = steps.at(-1);
  note(found, (position) => {
    const index = Number(position);
    return last === undefined || last === every
      ? isNumberIn(elements, index)
      : isNumberAt(elements[index] ?? null, steps);
  });
}

/** Whether the string at the path is the digits of a number that a double cannot hold. A path that ends in `every` finds no string. */
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

/** The value that a name is read from: of an array, its first element. */
function ownerOf(value: Json): Exclude<Json, Json[]> {
  let owner = value;
  while (Array.isArray(owner)) owner = owner[0] ?? null;
  return owner;
}

/** A value in a message: null is an empty string, arrays and objects are JSON. */
export function textOf(value: Json | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** `SIZE(x)`: the length of an array, the number of fields of an object, 0 for null, 1 for any other value. */
export function size(value: Json | undefined): number {
  if (value === null || value === undefined) return 0;
  if (typeof value !== 'object') return 1;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/**
 * For an object, the names of the strings that are such numbers; for an array, their indexes. Objects and arrays that contain them at any
 * depth have an entry, too.
 */
const numbers = new WeakMap<object, Set<string>>();

/** Whether the object or array has such numbers, at any depth. */
export function hasNumbers(value: unknown): boolean {
  return typeof value === 'object' && value !== null && numbers.has(value);
}

/** Whether the string of that name or index is such a number. */
export function isNumberIn(value: unknown, name: string | number): boolean {
  return typeof value === 'object' && value !== null && numbers.get(value)?.has(String(name)) === true;
}

/** Notes which strings of a document are numbers. `rounded` is the same document, parsed without keeping their digits. */
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

/** Notes in an object that was made of a part of a document which of its strings are such numbers. */
export function noteNumbersOf(owner: object, part: Readonly<Record<string, boolean>>): void {
  note(owner, (name) => part[name] === true);
}

function note(owner: object, isNumber: (name: string, part: unknown) => boolean): void {
  const parts = Object.entries(owner) as [string, unknown][];
  const found = new Set(parts.filter(([name, part]) => isNumber(name, part)).map(([name]) => name));
  if (found.size > 0 || parts.some(([, part]) => hasNumbers(part))) numbers.set(owner, found);
}
