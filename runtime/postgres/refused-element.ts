/** Where in a JSON value the one is that the server refuses, as a function such as jsonb_to_recordset reads its elements. */
import { textOf, type Json } from '../handler/json.js';
import { errorField } from '../sql/failure.js';
import { decimal, integer, uuid, type Encoder, type NotNull } from './encode.js';

/** Of a value that the server refuses: its path in a parameter, and what is valid there. */
export interface RefusedElement {
  /** `[1].count` */
  readonly at: string;
  readonly expected: string;
}

/** The server's functions that read values, by their names in its source: its messages may be in another language. */
const readers: readonly (readonly [routine: RegExp, encoder: Encoder])[] = [
  [/^(?:pg_strtoint16|int2)/, integer(16)],
  [/^(?:pg_strtoint32|int4)/, integer(32)],
  [/^(?:pg_strtoint64|int8|scanint8)/, integer(64)],
  [/^(?:numeric_in|set_var_from|float[48]in)/, decimal],
  [/uuid/, uuid],
];

/** Undefined if the error does not quote a value, or the JSON has it not at one place. */
export function refusedElement(error: unknown, value: Json): RefusedElement | undefined {
  const quoted = error instanceof Error ? /"(.*)"/s.exec(error.message)?.[1] : undefined;
  if (quoted === undefined || typeof value !== 'object') return undefined;
  const found: { readonly at: string; readonly element: NotNull }[] = [];
  find(value, '', (at, element) => {
    if (textOf(element) === quoted) found.push({ at, element });
    return found.length < 2;
  });
  const [first, second] = found;
  if (first === undefined || second !== undefined) return undefined;
  const routine = errorField(error, 'routine') ?? '';
  const encoder = readers.find(([pattern]) => pattern.test(routine))?.[1];
  return { at: first.at, expected: encoder?.expected?.(first.element) ?? encoder?.one ?? '' };
}

/** Names of fields that a message can hold. */
const plainName = /^[\w$-]{1,64}$/;

/** Calls the visitor with every string, number and boolean until it returns false; returns what it returned last. */
function find(value: Json, at: string, visit: (at: string, element: NotNull) => boolean): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.every((item, index) => find(item, `${at}[${index}]`, visit));
  if (typeof value !== 'object') return visit(at, value);
  return Object.entries(value).every(([name, item]) =>
    find(item, plainName.test(name) ? `${at}.${name}` : at, visit),
  );
}
