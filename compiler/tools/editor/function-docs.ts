/** The documentation of functions, for hover and completion. */

export interface FunctionDoc {
  /** How it is written. */
  readonly form: string;
  /** One sentence. */
  readonly about: string;
  /** The text that completion inserts, with `$1`, `$2` for the parts to fill in. */
  readonly snippet: string;
}

export const functionDocs: ReadonlyMap<string, FunctionDoc> = new Map([
  [
    'PARAM',
    {
      form: 'PARAM(<name>)',
      about: 'A parameter of the path, the query, the form or a header; null where it is missing.',
      snippet: 'PARAM($1)',
    },
  ],
  [
    'HEADER',
    {
      form: 'HEADER(<name>)',
      about: 'A header of the request and nothing else; null where it is missing.',
      snippet: 'HEADER($1)',
    },
  ],
  [
    'QUERY',
    {
      form: 'QUERY(<name>)',
      about:
        'A parameter of the query and nothing else; a list where it is repeated, null where it is missing.',
      snippet: 'QUERY($1)',
    },
  ],
  [
    'COOKIE',
    {
      form: 'COOKIE(<name>)',
      about: 'A cookie of the request and nothing else; null where it is missing.',
      snippet: 'COOKIE($1)',
    },
  ],
  [
    'CALLER',
    {
      form: 'CALLER() or CALLER($.field)',
      about:
        'The caller, by the credentials and nothing else of the request: `authentication`, `sub`, and the claims of the token or the fields of the key; null where nobody has logged in.',
      snippet: 'CALLER($.$1)',
    },
  ],
  [
    'BODY',
    {
      form: 'BODY() or BODY($.field)',
      about: 'The JSON request body, or a part of it; null where it is missing.',
      snippet: 'BODY(\\$.$1)',
    },
  ],
  [
    'VALUE',
    {
      form: 'VALUE(<name>, <path>)',
      about: 'The result of a fulfillment or a part of it. `@` as the name is the current element.',
      snippet: 'VALUE($1, \\$$2)',
    },
  ],
  [
    'VALUE_BY_INDEX',
    {
      form: 'VALUE_BY_INDEX(<name>, <index>, <path>)',
      about: 'The result that a fulfillment inside a loop stored under that index; null if there is none.',
      snippet: 'VALUE_BY_INDEX($1, $2, \\$)',
    },
  ],
  ['TEXT', { form: 'TEXT(<characters>)', about: 'A constant string.', snippet: 'TEXT($1)' }],
  ['INTEGER', { form: 'INTEGER(<digits>)', about: 'A constant whole number.', snippet: 'INTEGER($1)' }],
  ['DECIMAL', { form: 'DECIMAL(<number>)', about: 'A constant decimal number.', snippet: 'DECIMAL($1)' }],
  [
    'BOOLEAN',
    {
      form: 'BOOLEAN(true) or BOOLEAN(false)',
      about: 'A constant truth value.',
      snippet: 'BOOLEAN(${1:true})',
    },
  ],
  ['NULL', { form: 'NULL()', about: 'The constant null.', snippet: 'NULL()' }],
  [
    'LIST',
    {
      form: 'LIST(<number>)',
      about: 'The whole numbers from 0 to one less than the number.',
      snippet: 'LIST($1)',
    },
  ],
  [
    'SIZE',
    {
      form: 'SIZE(<value>)',
      about: 'The length of an array, the number of fields of an object, 0 for null, and 1 for other values.',
      snippet: 'SIZE($1)',
    },
  ],
  [
    'MULTIPART_FILE',
    {
      form: 'MULTIPART_FILE(<part name>) or MULTIPART_FILE(<part name>, $.name)',
      about:
        'An uploaded file of a multipart request, to pass it on or to store it in a binary column; or its name, its type ($.type) or its bytes ($.size).',
      snippet: 'MULTIPART_FILE($1)',
    },
  ],
  [
    'STATUS',
    {
      form: 'STATUS(<fulfillment>)',
      about: 'The HTTP status that a third-party API sent; null where nothing was sent.',
      snippet: 'STATUS($1)',
    },
  ],
  [
    'FAILURE',
    {
      form: 'FAILURE(<fulfillment>)',
      about:
        'Why a request with `onFailure: continue` has no usable response: `unreachable`, `timeout`, `tooLarge`, `unreadable`, else null.',
      snippet: 'FAILURE($1)',
    },
  ],
  [
    'NEXT',
    {
      form: 'NEXT(<fulfillment>)',
      about: 'The text that asks for the next page of a READ with `page`; null behind the last page.',
      snippet: 'NEXT($1)',
    },
  ],
  [
    'RESPONSE_HEADER',
    {
      form: 'RESPONSE_HEADER(<fulfillment>, <name>)',
      about:
        'The header of the response to a request, whose name is in any letter case; repeated ones are joined with commas. Null if there is none.',
      snippet: 'RESPONSE_HEADER($1, $2)',
    },
  ],
  [
    'CONCAT',
    {
      form: 'CONCAT(<value>, …)',
      about: 'One string of several values: null is empty, lists and objects are JSON.',
      snippet: 'CONCAT($1, $2)',
    },
  ],
  [
    'COALESCE',
    {
      form: 'COALESCE(<value>, …)',
      about: 'The first value that is not null; null if all are.',
      snippet: 'COALESCE($1, $2)',
    },
  ],
  [
    'NOW',
    {
      form: 'NOW()',
      about: 'The current time in UTC, such as 2026-01-31T12:00:00.000Z: one timestamp for the whole call.',
      snippet: 'NOW()',
    },
  ],
  [
    'ERROR',
    {
      form: 'ERROR($.message)',
      about: 'In the body of an error: its status, title, message, code, requestId, faults or byName.',
      snippet: 'ERROR(\\$.$1)',
    },
  ],
  [
    'IF_MATCH',
    {
      form: 'IF_MATCH(<value>)',
      about: 'Whether the header If-Match is missing, is `*`, or names this version.',
      snippet: 'IF_MATCH($1)',
    },
  ],
  ['UUID', { form: 'UUID()', about: 'A new random UUID each time it is evaluated.', snippet: 'UUID()' }],
  [
    'ENV',
    {
      form: 'ENV(<NAME>)',
      about: 'A variable of the environment; the service does not start without it.',
      snippet: 'ENV($1)',
    },
  ],
]);
