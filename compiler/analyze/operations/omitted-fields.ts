/** The fields that the JSON of a response leaves out (docs/design/responses.md#res-10). */
import type { Response, Settings } from '../../read/config/config-model.js';
import { bodyKind } from '../../read/openapi/media-type.js';
import type { Omitted } from '../../../runtime/responses/omitted-fields.js';

/** Undefined if all fields are sent. The fields of the response replace those of the settings. */
export function omittedFields(response: Response, settings: Settings): Omitted | undefined {
  const { omits, contentType } = response;
  const kind = bodyKind(contentType);
  if (kind !== 'json' && kind !== 'lines') return undefined;
  const isOwn = omits.null !== undefined || omits.empty !== undefined;
  const own = isOwn ? omits : settings.omits;
  return own.empty === true ? 'empty' : own.null === true ? 'null' : undefined;
}

/** Kinds of values, some of which `omitEmpty` omits. */
const emptyKinds: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'array']);

/** Whether a field whose value is of one of these kinds can be omitted; undefined if the kinds are unknown. */
export function mayBeOmitted(kinds: Iterable<string> | undefined, omitted: Omitted): boolean {
  if (kinds === undefined) return true;
  return [...kinds].some((kind) => kind === 'null' || (omitted === 'empty' && emptyKinds.has(kind)));
}
