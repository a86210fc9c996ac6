/** The media types of request bodies that an operation accepts. */
import type { AcceptedBody } from '../../../read/config/config-model.js';

/** The media types, in lower case; undefined for the usual types of JSON. */
export function acceptedTypes(accepts: AcceptedBody | undefined): readonly string[] | undefined {
  if (accepts === undefined) return undefined;
  const types = accepts.types.map(({ value }) => value.toLowerCase());
  return types.length === 0 && accepts.kind === 'text' ? ['text/plain'] : types;
}

/** Whether any page can send bodies of an accepted type, because browsers send them without a preflight request. */
export function acceptsAnyPage(accepts: AcceptedBody | undefined): boolean {
  return acceptedTypes(accepts)?.some((type) => needsNoPreflight(type)) === true;
}

/** Whether browsers send bodies of this type to other origins without a preflight request. */
export function needsNoPreflight(type: string): boolean {
  return type.toLowerCase() === 'text/plain' || isForm(type);
}

export function isForm(type: string): boolean {
  return /^(?:multipart\/.*|application\/x-www-form-urlencoded)$/i.test(type);
}
