/** Builds an application/x-www-form-urlencoded body (WHATWG URL, section 5). Names and values are encoded, so that no value can add a field. */
import { textOf, type Json } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';

/** The fields by name, in order. A list sends its field once for each element; null is omitted. */
export type FormFields = Readonly<Record<string, Json | undefined>>;

/** The body of these fields. Throws a ServiceError 400 for invalid Unicode. */
export function formBody(fields: FormFields): Buffer {
  const form = new URLSearchParams();
  for (const [name, given] of Object.entries(fields)) {
    for (const value of Array.isArray(given) ? given : [given]) {
      if (value !== null && value !== undefined) form.append(name, wellFormed(textOf(value)));
    }
  }
  return Buffer.from(form.toString());
}

const loneSurrogate = /\p{Surrogate}/u;

/** URLSearchParams would replace invalid characters: a value is rejected, never changed. */
function wellFormed(text: string): string {
  if (!loneSurrogate.test(text)) return text;
  throw new ServiceError(400, 'A value cannot be sent in a form: it is not valid Unicode');
}
