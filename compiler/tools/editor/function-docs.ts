/** The documentation of functions, for hover and completion. */
import { markdown } from '../../notation/markdown-writer.js';
import type { Written } from '../../notation/written.js';
import { functions } from '../../read/expression/functions.js';

export interface FunctionDoc {
  /** How it is written. */
  readonly form: string;
  /** One sentence. */
  readonly about: Written<'markdown'>;
  /** The text that completion inserts, with `$1`, `$2` for the parts to fill in. */
  readonly snippet: string;
}

const abouts: Readonly<Record<string, string>> = {
  PARAM: 'A parameter of the path, the query, the form or a header; null where it is missing.',
  HEADER: 'A header of the request and nothing else; null where it is missing.',
  QUERY: 'A parameter of the query and nothing else; a list where it is repeated, null where it is missing.',
  COOKIE: 'A cookie of the request and nothing else; null where it is missing.',
  CALLER:
    'The caller, by the credentials and nothing else of the request: `authentication`, `sub`, and the claims of the token or the fields of the key; null where nobody has logged in.',
  BODY: 'The JSON request body, or a part of it; null where it is missing.',
  VALUE: 'The result of a fulfillment or a part of it. `@` as the name is the current element.',
  VALUE_BY_INDEX:
    'The result that a fulfillment inside a loop stored under that index; null if there is none.',
  TEXT: 'A constant string.',
  INTEGER: 'A constant whole number.',
  DECIMAL: 'A constant decimal number.',
  BOOLEAN: 'A constant truth value.',
  NULL: 'The constant null.',
  LIST: 'The whole numbers from 0 to one less than the number.',
  SIZE: 'The length of an array, the number of fields of an object, 0 for null, and 1 for other values.',
  MULTIPART_FILE:
    'An uploaded file of a multipart request, to pass it on or to store it in a binary column; or its name, its type ($.type) or its bytes ($.size).',
  STATUS: 'The HTTP status that a third-party API sent; null where nothing was sent.',
  FAILURE:
    'Why a request with `onFailure: continue` has no usable response: `unreachable`, `timeout`, `tooLarge`, `unreadable`, else null.',
  NEXT: 'The text that asks for the next page of a READ with `page`; null behind the last page.',
  RESPONSE_HEADER:
    'The header of the response to a request, whose name is in any letter case; repeated ones are joined with commas. Null if there is none.',
  CONCAT: 'One string of several values: null is empty, lists and objects are JSON.',
  COALESCE: 'The first value that is not null; null if all are.',
  NOW: 'The current time in UTC, such as 2026-01-31T12:00:00.000Z: one timestamp for the whole call.',
  ERROR: 'In the body of an error: its status, title, message, code, requestId, faults or byName.',
  IF_MATCH: 'Whether the header If-Match is missing, is `*`, or names this version.',
  UUID: 'A new random UUID each time it is evaluated.',
  ENV: 'A variable of the environment; the service does not start without it.',
};

/** Of functions whose form has other parts than those to fill in. */
const snippets: Readonly<Record<string, string>> = {
  CALLER: 'CALLER($.$1)',
  BODY: 'BODY(\\$.$1)',
  VALUE: 'VALUE($1, \\$$2)',
  VALUE_BY_INDEX: 'VALUE_BY_INDEX($1, $2, \\$)',
  BOOLEAN: 'BOOLEAN(${1:true})',
  MULTIPART_FILE: 'MULTIPART_FILE($1)',
  CONCAT: 'CONCAT($1, $2)',
  COALESCE: 'COALESCE($1, $2)',
  ERROR: 'ERROR(\\$.$1)',
};

/** In the order of the reference. */
export const functionDocs: ReadonlyMap<string, FunctionDoc> = new Map(
  Object.entries(abouts).map(([name, about]) => {
    const form = functions.get(name)?.form ?? '';
    let parts = 0;
    const snippet = snippets[name] ?? form.replaceAll(/<[^>]+>/g, () => `$${(parts += 1)}`);
    return [name, { form, about: markdown.documentation(about), snippet }];
  }),
);
