/** Documentation of functions, for hover and completion. */
import { markdown } from '../../notation/markdown-writer.js';
import type { Written } from '../../notation/written.js';
import { functions } from '../../read/expression/functions.js';

export interface FunctionDoc {
  /** How the function is written. */
  readonly form: string;
  /** One sentence. */
  readonly about: Written<'markdown'>;
  /** The text inserted by completion, with `$1`, `$2` for the parts to fill in. */
  readonly snippet: string;
}

const abouts: Readonly<Record<string, string>> = {
  PARAM: 'A parameter of the path, the query, a form or a header; null if it is missing.',
  HEADER: 'A header of the request; null if it is missing.',
  QUERY:
    'A query parameter; a list if it is repeated, null if it is missing. Without a name: an object with all parameters, except API keys.',
  COOKIE: 'A cookie of the request; null if it is missing.',
  CALLER:
    'The authenticated caller: `authentication`, `sub`, and the claims of the token or the fields of the key. Only the credentials of the request determine it; null if nobody has logged in.',
  BODY: 'The JSON request body, or a part of it; null if it is missing.',
  VALUE: 'The result of a fulfillment, or a part of it. The name `@` is the current element.',
  VALUE_BY_INDEX:
    'The result that a fulfillment in a loop has stored under this index; null if the index is unknown.',
  TEXT: 'A constant string.',
  INTEGER: 'A constant whole number.',
  DECIMAL: 'A constant decimal number.',
  BOOLEAN: 'A constant truth value.',
  NULL: 'The constant null.',
  LIST: 'The whole numbers from 0 to one less than the number.',
  SIZE: 'The length of an array, the number of fields of an object, 0 for null, and 1 for other values.',
  MULTIPART_FILE:
    'An uploaded file of a multipart request, which can be forwarded or stored in a binary column; or its name ($.name), media type ($.type) or number of bytes ($.size). $[*] is the list of all files of the part.',
  STATUS: 'The status of the response to a request; null if no response was received.',
  FAILURE:
    'The reason why a request with `onFailure: continue` did not get a usable response: `unreachable`, `timeout`, `tooLarge` or `unreadable`; otherwise null.',
  STATUS_BY_INDEX:
    'The status of the response that a request in a loop has received in the iteration with this index; null if no response was received, or if the index is unknown.',
  FAILURE_BY_INDEX: 'FAILURE of the iteration with this index; null if the index is unknown.',
  NEXT: 'The cursor of the next page of a READ with `page`; null after the last page.',
  TOTAL:
    'The number of rows of a READ with `page`, on all pages together; null above `maxTotal`. A second statement counts the rows.',
  PAGES:
    'The number of the last page of a READ with `number` or `offset` in its `page`, at least 1; null if it is not known.',
  PREVIOUS: 'The cursor of the previous page of a READ with `page`, for `after`; null on the first page.',
  LINK: 'The value of a `Link` header with the URLs of the other pages of a READ with `page`; or one URL, null if there is no such page.',
  RESPONSE_HEADER:
    'A header of the response to a request, with the name in any letter case. Repeated headers are joined with commas; null if the header is missing.',
  CONCAT: 'The values joined to one string: null is an empty string, lists and objects are JSON.',
  COALESCE: 'The first value that is not null; null if all values are null.',
  NOW: 'The current time in UTC, such as 2026-01-31T12:00:00.000Z. It is the same during the whole call.',
  ERROR:
    'In the body of an error: the status, title, message, code, requestId, faults or byName of the error.',
  IF_MATCH: 'Whether the header If-Match is missing, is `*`, or contains this version.',
  UUID: 'A new random UUID each time it is evaluated.',
  RANDOM:
    'Random bytes (16 to 64) as base64url, or in hexadecimal with `hex`. Only in the `schema` of a COMPUTE; the result is secret.',
  SHA256:
    'The SHA-256 of a string in hexadecimal, as the `operation` of an API key receives it; null for null, lists and objects.',
  LENGTH: 'The number of characters (code points) of a string; null for null, lists and objects.',
  LOWER: 'A string in lower case; null for null, lists and objects.',
  HASH: 'The scrypt hash of a password, in the format of `passwordHash`. Only in the `schema` of a COMPUTE; the result is secret.',
  VERIFY:
    'Whether a password has this hash. Only in the `schema` of a COMPUTE. A missing hash takes as long as a wrong password.',
  TOKEN:
    'A token (JWT) that the authentication accepts, with `sub` and the claims in its `issue`. Only in the `schema` of a COMPUTE; the result is secret.',
  OUTDATED:
    'False if the hash has the format and the cost of new hashes, otherwise true: a log-in can then replace it.',
  CODE: 'The result of a function of `src/code` that `functions` declares. The function is synchronous and receives only its arguments.',
  ADDRESS:
    'The address of the client: the address of the connection, or the address reported by the proxies in the setting TRUSTED_PROXIES. Null without a request.',
  ENV: 'An environment variable, or the default if it is not set; without a default, the service does not start.',
};

/** Snippets of functions that differ from the documented form. */
const snippets: Readonly<Record<string, string>> = {
  CALLER: 'CALLER($.$1)',
  BODY: 'BODY(\\$.$1)',
  VALUE: 'VALUE($1, \\$$2)',
  VALUE_BY_INDEX: 'VALUE_BY_INDEX($1, $2, \\$)',
  BOOLEAN: 'BOOLEAN(${1:true})',
  MULTIPART_FILE: 'MULTIPART_FILE($1)',
  CONCAT: 'CONCAT($1, $2)',
  COALESCE: 'COALESCE($1, $2)',
  RANDOM: 'RANDOM(${1:32})',
  TOKEN: 'TOKEN($1, $2)',
  CODE: 'CODE($1, $2)',
  ERROR: 'ERROR(\\$.$1)',
};

/** Functions in reference order. */
export const functionDocs: ReadonlyMap<string, FunctionDoc> = new Map(
  Object.entries(abouts).map(([name, about]) => {
    const form = functions.get(name)?.form ?? '';
    let parts = 0;
    const snippet = snippets[name] ?? form.replaceAll(/<[^>]+>/g, () => `$${(parts += 1)}`);
    return [name, { form, about: markdown.documentation(about), snippet }];
  }),
);
