/** The fields that a value certainly has, for messages about all others. */
import type { ValueType } from './value-type.js';

/** Undefined if a value can have other fields, or if the letter case of columns may depend on the server. */
export function knownFields({ fields }: ValueType): readonly string[] | undefined {
  const isKnown = fields?.isClosed === true && fields.inAnyCase !== true && fields.isSpelledByServer !== true;
  return isKnown ? fields.names : undefined;
}
