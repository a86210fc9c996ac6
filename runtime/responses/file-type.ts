/** Media types of stored files, which clients may have chosen when they sent the files. */
import type { Json } from '../handler/json.js';

/** The media type of unknown bytes. */
const unknown = 'application/octet-stream';

/**
 * The media type with which a file is sent: the one of the list that has the type and subtype of the value, in any letter case and with any
 * parameters; `application/octet-stream` for any other value.
 */
export function allowedType(value: Json | undefined, allowed: readonly string[]): string {
  const stored = typeof value === 'string' ? essence(value) : '';
  return allowed.find((one) => essence(one) === stored) ?? unknown;
}

/** Whether browsers run scripts in a content of this type if it is opened as a page of the service: HTML, XML, SVG. */
export function isActive(type: string): boolean {
  return /^(?:text\/(?:html|xml|xsl)|application\/xml|.*\+xml)$/.test(essence(type));
}

/** The type and the subtype, without parameters. */
function essence(type: string): string {
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase();
}
