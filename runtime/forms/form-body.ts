/** Reads request bodies that may be forms. */
import type { IncomingMessage } from 'node:http';
import { MediaTypeError } from '../handler/reply.js';
import { assertBodyIsThere } from '../http/body-bytes.js';
import type { Exchange } from '../http/exchange.js';
import type { BodyReader, Form, FormLimits } from '../http/route.js';

/** Reads parts or fields; see BodyReader. */
type FormReader = (
  exchange: Pick<Exchange, 'request' | 'response'>,
  limits: FormLimits,
  accept: () => void,
) => Promise<Form>;

export interface Forms {
  /** Reads the parts of multipart/form-data. */
  readonly multipart?: FormReader;
  /** Reads the fields of application/x-www-form-urlencoded. */
  readonly urlencoded?: FormReader;
}

/** Reads a body in one of these forms. `other` reads all other bodies. */
export function formBody(forms: Forms, other?: BodyReader): BodyReader {
  const reader: BodyReader = async (exchange, call, limits, accept) => {
    const { request } = exchange;
    const read = readerOf(forms, request);
    if (read !== undefined) {
      assertBodyIsThere(request);
      call.form = await read(exchange, limits, accept);
      return undefined;
    }
    if (other !== undefined) return other(exchange, call, limits, accept);
    if (hasBody(request)) throw wantsForm(forms);
    return undefined;
  };
  return Object.assign(reader, { readsFiles: forms.multipart !== undefined });
}

function readerOf({ multipart, urlencoded }: Forms, { headers }: IncomingMessage): FormReader | undefined {
  const type = headers['content-type'] ?? '';
  if (multipart !== undefined && /^\s*multipart\//i.test(type)) return multipart;
  return /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type) ? urlencoded : undefined;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function wantsForm({ multipart, urlencoded }: Forms): MediaTypeError {
  const types = [
    ...(multipart === undefined ? [] : ['multipart/form-data']),
    ...(urlencoded === undefined ? [] : ['application/x-www-form-urlencoded']),
  ];
  return new MediaTypeError(`The request body must have the content type ${types.join(' or ')}`);
}
