/** Remembers which strings of parsed JSON are the digits of numbers that a double cannot hold. */

/** The names of such strings in an object, the indexes of those in an array. What contains them, at any depth, has an entry too. */
const numbers = new WeakMap<object, Set<string>>();

/** Whether the object or array has such numbers, at any depth. */
export function hasNumbers(value: unknown): boolean {
  return typeof value === 'object' && value !== null && numbers.has(value);
}

/** Whether the string of that name or index is such a number. */
export function isNumberIn(value: unknown, name: string | number): boolean {
  return typeof value === 'object' && value !== null && numbers.get(value)?.has(String(name)) === true;
}

/** Notes the strings of a document that are numbers where it was parsed without keeping their digits. */
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

/** Notes the same of a list that was made of parts of a document. */
export function noteList(list: readonly unknown[], isNumber: (index: number) => boolean): void {
  note(list, (index) => isNumber(Number(index)));
}

function note(owner: object, isNumber: (name: string, part: unknown) => boolean): void {
  const parts = Object.entries(owner) as [string, unknown][];
  const found = new Set(parts.filter(([name, part]) => isNumber(name, part)).map(([name]) => name));
  if (found.size > 0 || parts.some(([, part]) => hasNumbers(part))) numbers.set(owner, found);
}
