/** Whether values of two types can be equal. */
import { wordsOf } from './join-types.js';
import { isAnything, type Kind, type ValueType } from './value-type.js';

/** `number`, `boolean`: only where the string of one is written as that value of the other. */
export type Equality = 'never' | 'number' | 'boolean' | 'possible';

/** The form of the strings of a column, by the name of its type: strings of different forms are never equal. */
const formats: ReadonlyMap<string, string> = new Map([
  // A date is the midnight at which it begins.
  ['date', 'timestamp'],
  ['time', 'time'],
  ['timetz', 'time'],
  ['timestamp', 'timestamp'],
  ['timestamptz', 'timestamp'],
  ['datetime', 'timestamp'],
  ['uuid', 'uuid'],
]);

export function equalityOf(one: ValueType, other: ValueType): Equality {
  const [ones, others] = [kindsOf(one), kindsOf(other)];
  if (isAnything(one) || isAnything(other) || ones.length === 0 || others.length === 0) return 'possible';
  const shared = ones.filter((kind) => others.includes(kind));
  if (shared.some((kind) => kind !== 'string')) return 'possible';
  if (shared.length > 0) return haveSameStrings(one, other) ? 'possible' : 'never';
  const [text, value] = ones.includes('string') ? [one, others] : [other, ones];
  if (!kindsOf(text).includes('string') || formats.has(text.column ?? '')) return 'never';
  const kind = value.includes('number') ? 'number' : 'boolean';
  const isWritten = (word: string): boolean =>
    kind === 'number' ? /^-?\d/.test(word) : /^(?:true|false)$/.test(word);
  const words = wordsOf(text);
  return words === undefined || [...words].some(isWritten) ? kind : 'never';
}

/** Without null, which equals nothing in a join. The strings of numbers that a double cannot hold are numbers. */
function kindsOf({ kinds, isExactNumber }: ValueType): Kind[] {
  return [...kinds].filter((kind) => kind !== 'null' && (isExactNumber !== true || kind !== 'string'));
}

function haveSameStrings(one: ValueType, other: ValueType): boolean {
  const [ones, others] = [wordsOf(one), wordsOf(other)];
  if (ones !== undefined && others !== undefined) return [...ones].some((word) => others.has(word));
  const [format, same] = [one, other].map(({ column }) => formats.get(column ?? ''));
  return format === undefined || same === undefined || format === same;
}
