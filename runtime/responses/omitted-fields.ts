/** Bodies without null fields (`omitNull`) or empty fields (`omitEmpty`). */
import type { Call } from '../handler/call.js';
import { isLarge } from '../handler/json-text.js';
import type { Json } from '../handler/json.js';
import { isTurnOver, nextTurn } from '../handler/turn.js';

/** The omitted fields: fields with null, or also fields with "", 0, false or an empty list. */
export type Omitted = 'null' | 'empty';

/** The value without these fields of its objects. Elements of lists stay. */
export function withoutFields(value: Json, omitted: Omitted): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => withoutFields(element, omitted));
  const kept: [string, Json][] = [];
  for (const name of Object.keys(value)) {
    const field = value[name];
    if (!isOmitted(field, omitted)) kept.push([name, withoutFields(field, omitted)]);
  }
  return Object.fromEntries(kept);
}

/** Like `withoutFields`, with pauses for other requests if the value is large. Throws the errors of `call.proceed`. */
export async function withoutFieldsInTurns(value: Json, omitted: Omitted, call: Call): Promise<Json> {
  if (!isLarge(value) || typeof value !== 'object' || value === null) return withoutFields(value, omitted);
  if (Array.isArray(value)) {
    const elements: Json[] = [];
    for (const element of value) {
      elements.push(
        isLarge(element)
          ? await withoutFieldsInTurns(element, omitted, call)
          : withoutFields(element, omitted),
      );
      if (isTurnOver()) await nextTurn(call);
    }
    return elements;
  }
  const kept: [string, Json][] = [];
  for (const name of Object.keys(value)) {
    const field = value[name];
    if (isOmitted(field, omitted)) continue;
    kept.push([
      name,
      isLarge(field) ? await withoutFieldsInTurns(field, omitted, call) : withoutFields(field, omitted),
    ]);
    if (isTurnOver()) await nextTurn(call);
  }
  return Object.fromEntries(kept);
}

function isOmitted(value: Json | undefined, omitted: Omitted): value is null | undefined {
  if (value === null || value === undefined) return true;
  return (
    omitted === 'empty' &&
    (value === '' || value === 0 || value === false || (Array.isArray(value) && value.length === 0))
  );
}
