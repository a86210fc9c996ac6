/** Numbers of parsed JSON that a double cannot hold: databases receive them as numbers again, although they are strings of their digits here. */
import { type Json, hasNumbers, isNumberIn } from './json.js';

/** `JSON.stringify`, but such numbers are written as numbers. */
export function exactJson(value: Json): string {
  if (typeof value !== 'object' || value === null || !hasNumbers(value)) return JSON.stringify(value);
  const write = (part: Json, name: string | number): string =>
    typeof part === 'string' && isNumberIn(value, name) ? part : exactJson(part);
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  const fields = Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}:${write(part, name)}`);
  return `{${fields.join(',')}}`;
}

/** Where a value is from, as `valueNames` has it: names, indexes, and `[]` for any element. */
type Place = readonly (string | number | undefined)[];

const step = /\.([^.[\]]+)|\[(-?\d*)\]|\['((?:[^'\\]|\\.)*)'\]/g;

/** Where in the body the value of that name is, such as `body.lines[].price`; undefined if it is not from there. */
export function placeIn(name: string | null): Place | undefined {
  if (name?.startsWith('body') !== true) return undefined;
  return [...name.slice('body'.length).matchAll(step)].map(([, plain, index, quoted]) =>
    index === undefined
      ? (plain ?? quoted?.replaceAll(/\\(.)/gs, '$1'))
      : index === ''
        ? undefined
        : Number(index),
  );
}

/** Whether the value, from that place of the body, is the digits of such a number; false if another element has the same as a string there. */
export function isNumberAt(body: Json, place: Place, value: Json): boolean {
  if (!hasNumbers(body)) return false;
  const found = matchesAt(body, place, value);
  return found.length > 0 && found.every(Boolean);
}

/** For each part of that place which is the value, whether it is such a number. */
function matchesAt(owner: Json, [first, ...rest]: Place, value: Json): boolean[] {
  if (typeof owner !== 'object' || owner === null) return [];
  const at = (name: string | number, part: Json = null): boolean[] => {
    if (rest.length > 0) return matchesAt(part, rest, value);
    return part === value ? [isNumberIn(owner, name)] : [];
  };
  if (!Array.isArray(owner)) return typeof first === 'string' ? at(first, owner[first]) : [];
  if (first === undefined) return owner.flatMap((part, index) => at(index, part));
  // A name on an array reads from its first element.
  if (typeof first === 'string') return matchesAt(owner[0] ?? null, [first, ...rest], value);
  const index = first < 0 ? owner.length + first : first;
  return at(index, owner[index]);
}
