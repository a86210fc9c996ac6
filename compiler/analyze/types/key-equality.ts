/** Whether values of two types can be equal in a join. */
import { wordsOf } from './join-types.js';
import { isAnything, type Kind, type ValueType } from './value-type.js';

/** `number`, `boolean`: equal only if a string has the canonical form of the number or boolean. */
export type Equality = 'never' | 'number' | 'boolean' | 'possible';

/** The string format of columns by type name. Strings of different formats are never equal. */
const formats: ReadonlyMap<string, string> = new Map([
  // A date equals midnight at its beginning.
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

/** The kinds without null, which equals nothing in a join. Strings of exact numbers count as numbers. */
function kindsOf({ kinds, isExactNumber }: ValueType): Kind[] {
  return [...kinds].filter((kind) => kind !== 'null' && (isExactNumber !== true || kind !== 'string'));
}

function haveSameStrings(one: ValueType, other: ValueType): boolean {
  const [ones, others] = [wordsOf(one), wordsOf(other)];
  if (ones !== undefined && others !== undefined) return [...ones].some((word) => others.has(word));
  const [format, same] = [one, other].map(({ column }) => formats.get(column ?? ''));
  return format === undefined || same === undefined || format === same;
}
