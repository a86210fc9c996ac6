/**
 * The single table of all configuration fields, their content and form. It drives the reader, its hints, completion, hover, the JSON schema
 * and the reference.
 */
import { filterOperators, filterTypes } from '../../../runtime/lists/filter-types.js';
import type { AuthenticationType, DatasourceType } from './config-model.js';

/** The kinds of maps in a configuration, each with its own fields, and their names in messages. */
export const kindNames = {
  configuration: 'the configuration',
  operation: 'an operation',
  fulfillment: 'a fulfillment',
  instruction: 'an instruction',
  query: 'a query',
  sql: 'an instruction with sql',
  parameter: 'a parameter',
  request: 'a request',
  message: 'a message',
  order: "'order'",
  page: "'page'",
  filter: "'filter'",
  filterName: 'a filter',
  pages: 'pages',
  oauth2: "'oauth2'",
  signature: "'signature'",
  requestSignature: "'signature'",
  limit: "'limit'",
  requestLimit: 'a limit',
  idempotency: "'idempotency'",
  retry: 'a retry',
  body: 'the body of a request',
  exception: 'an exception',
  response: 'a response',
  fileType: "'contentType'",
  trigger: 'a trigger',
  datasource: 'a datasource',
  pool: "'pool'",
  authentication: 'an authentication',
  issue: "'issue'",
  accepted: 'an accepted authentication',
  function: 'a function',
  mcp: "'mcp'",
  tool: "'tool'",
  settings: 'settings',
  errors: 'a form of errors',
} as const;

export type Kind = keyof typeof kindNames;

/** The kinds of content that a field can have. */
export type Holds =
  | 'expression'
  | 'condition'
  /** A model name or a JSON schema. */
  | 'model'
  /** A list of model names and JSON schemas. */
  | 'models'
  /** One condition or other expression, or a list of them. */
  | 'conditions'
  | 'integer'
  /** A decimal number. */
  | 'number'
  | 'boolean'
  /** One of `words`. */
  | 'word'
  /** `Key: Value` strings. */
  | 'headers'
  | 'names'
  /** Names, or maps of kind `of`. */
  | 'namesOrMaps'
  /** A map from names to strings. */
  | 'strings'
  /** Schema notation: nested maps whose leaves are expressions. */
  | 'schema'
  /** A map from names to schema notation. */
  | 'schemas'
  /** A map from names to expressions. */
  | 'expressions'
  /** Models with the fields that are mapped. */
  | 'mappings'
  /** A map of kind `of`. */
  | 'map'
  /** A string, or a map of the kind `of`. */
  | 'stringOrMap'
  /** A string, or a map from names to strings. */
  | 'stringOrStrings'
  /** A string, or a list of strings. */
  | 'stringOrNames'
  /** A list of such maps. */
  | 'list'
  /** A map from names to maps of kind `of`. */
  | 'named'
  /** A map from names to strings, or to maps of kind `of`. */
  | 'namedOrStrings'
  /** A status, a class of statuses, or a list of these. */
  | 'statuses'
  /** A status or failure of a request, or a list of these. */
  | 'outcomes'
  /** One of `words`, or a list of maps of kind `of`. */
  | 'errors';

/** The form of a field. */
export interface FieldForm {
  /** An example value in YAML. */
  readonly example: string;
  /** The allowed range of a number. */
  readonly min?: number;
  readonly max?: number;
  readonly isRequired?: true;
  /** The field is accepted but has no effect. */
  readonly isDeprecated?: true;
}

/** The fields of a map. */
export type FieldTable = Readonly<Record<string, FieldForm>>;

export interface FieldInfo extends FieldForm {
  /** A description in one or two sentences. */
  readonly about: string;
  /** A string if undefined. */
  readonly holds?: Holds;
  /** The kind of the maps in this field. */
  readonly of?: Kind;
  readonly words?: readonly string[];
  /** Set if the field is only allowed in this syntax. */
  readonly syntax?: 'A' | 'B';
}

type Fields = Readonly<Record<string, FieldInfo>>;

const condition = (about: string): FieldInfo => ({
  about,
  example: 'SIZE(VALUE(news, $)) == INTEGER(0)',
  holds: 'condition',
});

const credentials = (of: string, variable: string): Fields => ({
  user: {
    about: `The user name of ${of}. \`\${NAME}\` reads an environment variable when the service starts.`,
    example: `\${${variable}_USER}`,
  },
  password: {
    about: `The password of ${of}. \`\${NAME}\` reads an environment variable when the service starts.`,
    example: `\${${variable}_PASSWORD}`,
  },
});

const signatureScheme: FieldInfo = {
  about: 'How the receiver checks signatures.',
  example: 'standard-webhooks',
  holds: 'word',
  words: ['github', 'stripe', 'slack', 'standard-webhooks'],
  isRequired: true,
};

const retry = (about: string): FieldInfo => ({ about, example: '{ times: 3 }', holds: 'map', of: 'retry' });

/** Descriptions of the datasource types. */
const datasourceTypes: Readonly<Record<DatasourceType, string>> = {
  db: 'a database',
  rest: 'a third-party API',
  smtp: 'a mail server',
};

const authenticationTypes: Readonly<Record<AuthenticationType, string>> = {
  basicauth: 'is an account of HTTP Basic',
  jwt: 'tokens of an issuer',
  apikey: 'keys of clients',
  signature: 'signed webhooks',
  custom: 'a check in src/middleware.ts',
};

/** Formats a list as a sentence: `` `a` is one thing, `b` another, and `c` a third. `` */
function sentenceOf(types: Readonly<Record<string, string>>): string {
  const parts = Object.entries(types).map(([type, what]) => `\`${type}\` ${what}`);
  return `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1) ?? ''}.`;
}

/** All fields by kind and name, in the order of the specification. */
export const fieldTable: Readonly<Record<Kind, Fields>> = {
  configuration: {
    specification: {
      about: 'The version of the configuration language. It is the first field.',
      example: '"1.0"',
      isRequired: true,
    },
    include: {
      about: 'Files with operations: paths and patterns, relative to the folder of the configuration.',
      example: '[operations/*.yaml]',
      holds: 'names',
    },
    operations: {
      about:
        'The operations by name; required without `include`. `GET /news/{id}` is also an endpoint. An operation with any other name is started by timers and reference calls.',
      example: "{ 'GET /news': { responses: [{ name: ok, default: true, statuscode: 200 }] } }",
      holds: 'named',
      of: 'operation',
    },
    datasources: {
      about: 'Databases and third-party APIs by name.',
      example: '{ newsdb: { type: db, url: jdbc:postgresql://localhost:5432/news } }',
      holds: 'named',
      of: 'datasource',
    },
    authentications: {
      about: 'The ways to authenticate callers, by name: accounts, tokens, API keys, signatures.',
      example: "{ admin: { type: basicauth, user: '${ADMIN_USER}', password: '${ADMIN_PASSWORD}' } }",
      holds: 'named',
      of: 'authentication',
    },
    functions: {
      about:
        'Functions of `src/code` that expressions call with CODE, by name, with the types of their arguments and results.',
      example: '{ slug: { input: [{ type: string }], returns: { type: string } } }',
      holds: 'named',
      of: 'function',
    },
    mcp: {
      about:
        'The endpoint of MCP clients, such as assistants with language models. It offers the operations with `tool`, and no others.',
      example: '{ path: /mcp, instructions: Invoices of the company of the caller }',
      holds: 'map',
      of: 'mcp',
    },
    settings: {
      about: 'Settings of the whole service.',
      example: '{ debug: true }',
      holds: 'map',
      of: 'settings',
    },
  },
  operation: {
    exceptions: {
      about:
        'Checked in order before the first fulfillment: the first exception whose condition is true ends the operation. Their expressions can only read the request.',
      example: '[{ if: PARAM(q) == NULL(), statuscode: 400, message: q is missing }]',
      holds: 'list',
      of: 'exception',
    },
    fulfillments: {
      about:
        'The steps of the operation, which run one after the other. Omit them if the operation only responds.',
      example:
        '[{ name: news, type: READ, datasource: newsdb, instructions: [{ query: SELECT title FROM news }] }]',
      holds: 'list',
      of: 'fulfillment',
    },
    responses: {
      about: 'The responses. The first response whose condition is true is sent, otherwise the default.',
      example: '[{ name: ok, default: true, statuscode: 200 }]',
      holds: 'list',
      of: 'response',
    },
    triggers: {
      about: 'Timers that run the operation.',
      example: "[{ name: daily, cron: '0 0 3 * * *' }]",
      holds: 'list',
      of: 'trigger',
    },
    mappings: {
      about: 'Syntax B: the values of the fields, for each model of the API description.',
      example: '{ News: { id: news.id } }',
      holds: 'mappings',
      syntax: 'B',
    },
    transaction: {
      about:
        'Runs all database fulfillments of the operation in one transaction, which is rolled back if any step fails.',
      example: 'true',
      holds: 'boolean',
    },
    together: {
      about:
        'Sends independent requests to third parties at the same time: the requests of an operation outside of its loops, or the requests of one iteration of a LOOP. `true` includes READs with GET and HEAD, `effects` all requests.',
      example: 'true',
      holds: 'word',
      words: ['true', 'false', 'effects'],
      syntax: 'A',
    },
    request: {
      about:
        'The body of requests: `json`; or `text`, for which BODY is one string. Pages of other origins cannot send `text/plain` to an open operation.',
      example: 'text',
      holds: 'word',
      words: ['json', 'text'],
    },
    contentTypes: {
      about:
        'The accepted content types of requests, in place of the types of JSON, or of `text/plain`. Other types are status 415.',
      example: '[application/vnd.api+json]',
      holds: 'names',
    },
    limits: {
      about: 'Limits on the number of requests in a period. A request over a limit is status 429.',
      example: '[{ by: ADDRESS(), times: 100, within: 1m }]',
      holds: 'list',
      of: 'requestLimit',
    },
    idempotency: {
      about:
        'Stores the response of each idempotency key in the transaction of the operation. A repetition of the request gets the stored response, and changes nothing.',
      example: '{ key: HEADER(idempotency-key), required: true, keep: 24h }',
      holds: 'map',
      of: 'idempotency',
    },
    authentications: {
      about:
        'The authentications that this operation accepts. Without the field, it accepts all authentications if they have the same type, otherwise the authentications with `default: true`. An empty list opens the operation to everybody.',
      example: "[admin, { name: users, scopes: ['orders:write'] }]",
      holds: 'namesOrMaps',
      of: 'accepted',
    },
    tool: {
      about: 'Offers the operation as a tool to MCP clients. The configuration needs `mcp`.',
      example: '{ name: list_invoices, description: Invoices of the company }',
      holds: 'map',
      of: 'tool',
    },
  },
  mcp: {
    path: {
      about: 'The path of the endpoint, after `settings.basePath`. `/mcp` by default.',
      example: '/mcp',
    },
    url: {
      about:
        'The public URL of the endpoint. With it, clients find the issuer of tokens, where their user logs in. `${NAME}` reads an environment variable when the service starts.',
      example: 'https://books.example.com/mcp',
    },
    instructions: {
      about: 'What a model should know before it uses the tools.',
      example: 'Invoices of the company of the caller. Amounts are in euros.',
    },
  },
  tool: {
    name: {
      about: 'The name of the tool: 1 to 64 letters without accents, digits, `_` and `-`.',
      example: 'list_invoices',
      isRequired: true,
    },
    description: {
      about:
        'What the tool does and when to use it. Without the field, the summary and description of the operation in the API description.',
      example: 'Invoices of the company, in pages',
    },
    secret: {
      about:
        'Allows results that caches must not store (`Cache-Control: no-store`) and secrets such as new keys, which a model then sees.',
      example: 'true',
      holds: 'boolean',
    },
  },
  fulfillment: {
    name: { about: 'The name under which expressions read the result.', example: 'news', isRequired: true },
    type: {
      about:
        'READ reads data, UPDATE changes data, LOOP repeats fulfillments for each element, reference calls another operation, CODE calls a user function, COMPUTE evaluates a schema.',
      example: 'READ',
      holds: 'word',
      words: ['READ', 'UPDATE', 'LOOP', 'reference', 'CODE', 'COMPUTE'],
      isRequired: true,
    },
    if: condition('Runs the fulfillment only if the condition is true; otherwise its result is null.'),
    exceptions: {
      about:
        'Checked in order after the fulfillment: the first exception whose condition is true ends the operation.',
      example: "[{ if: 'SIZE(VALUE(news, $)) == INTEGER(0)', statuscode: 404, message: Not found }]",
      holds: 'list',
      of: 'exception',
    },
    datasource: { about: 'The name of the database or third-party API.', example: 'newsdb' },
    instructions: {
      about:
        'Syntax A: SQL statements or requests. The first instruction whose condition is true, or that has no condition, runs.',
      example: '[{ query: SELECT title FROM news }]',
      holds: 'list',
      of: 'instruction',
      syntax: 'A',
    },
    loopbreak: {
      about: 'Ends the loop as soon as one of the conditions is true.',
      example: 'VALUE(news, $.id) == PARAM(id)',
      holds: 'conditions',
      syntax: 'A',
    },
    index: {
      about:
        'Inside a loop: the key with which VALUE_BY_INDEX finds the result of each iteration, and STATUS_BY_INDEX its status.',
      example: 'VALUE(@, $.id)',
      holds: 'expression',
      syntax: 'A',
    },
    onFailure: {
      about:
        'Syntax A: with `continue`, the operation continues if a request does not get a usable response, if its status is not 2xx, or if a called operation ends with an exception or error. The result is then the body, or null; STATUS and FAILURE return the reason.',
      example: 'continue',
      holds: 'word',
      words: ['continue'],
      syntax: 'A',
    },
    loop: {
      about: 'The list over which a LOOP iterates. `@` or the name of the loop is the current element.',
      example: 'VALUE(news, $)',
      holds: 'expression',
      syntax: 'A',
    },
    fulfillments: {
      about: 'The fulfillments that a LOOP repeats.',
      example:
        '[{ name: comments, type: READ, datasource: newsdb, instructions: [{ query: SELECT id FROM comment }] }]',
      holds: 'list',
      of: 'fulfillment',
      syntax: 'A',
    },
    concurrency: {
      about: 'The maximum number of iterations of a LOOP that run at the same time.',
      example: '4',
      holds: 'integer',
      min: 1,
      max: 1000,
      syntax: 'A',
    },
    together: {
      about:
        'Sends independent requests to third parties at the same time: the requests of an operation outside of its loops, or the requests of one iteration of a LOOP. `true` includes READs with GET and HEAD, `effects` all requests.',
      example: 'true',
      holds: 'word',
      words: ['true', 'false', 'effects'],
      syntax: 'A',
    },
    operationName: { about: 'The operation that a reference calls.', example: 'GET /news/{id}', syntax: 'A' },
    parameters: {
      about:
        'The parameters passed to the called operation: expressions by name. `body` is its request body.',
      example: "{ id: 'VALUE(news, $.id)' }",
      holds: 'schemas',
      syntax: 'A',
    },
    deliver: {
      about:
        'Of a reference: `afterCommit` stores the call in the transaction, and makes it after the commit. A failed call is repeated for three days. Needs `transaction: true`. Its result cannot be read.',
      example: 'afterCommit',
      holds: 'word',
      words: ['afterCommit'],
      syntax: 'A',
    },
    outbox: {
      about:
        'With `deliver: afterCommit`: the database that stores the call. The default is the only database, or the only one with an outbox.',
      example: 'shopdb',
      syntax: 'A',
    },
    times: {
      about: 'With `deliver: afterCommit`: the maximum number of attempts.',
      example: '5',
      holds: 'integer',
      min: 1,
      max: 1000,
      syntax: 'A',
    },
    within: {
      about:
        'With `deliver: afterCommit`: the time after which there is no further attempt, at most 3d: a number with the unit s, m, h or d.',
      example: '1h',
      syntax: 'A',
    },
    function: {
      about:
        'The user function that CODE calls, exported by `src/code/<function>.ts` of the service. A build writes the file once.',
      example: 'priceOf',
    },
    schema: {
      about:
        'The value that COMPUTE evaluates once, in schema notation. RANDOM, HASH, VERIFY and TOKEN are only valid here.',
      example: '{ token: RANDOM(32) }',
      holds: 'schema',
    },
    input: {
      about: 'The first argument of a user function, in schema notation.',
      example: "{ lines: 'VALUE(lines, $)' }",
      holds: 'schema',
    },
    returns: {
      about:
        'The result of a user function: a model of the API description, a list of models (`Price[]`), or a JSON schema. Results are validated against it.',
      example: 'Price',
      holds: 'model',
    },
    queries: {
      about:
        'Syntax B: SQL statements. The first query whose condition is true, or that has no condition, runs.',
      example: '[{ query: SELECT title FROM news }]',
      holds: 'list',
      of: 'query',
      syntax: 'B',
    },
    order: {
      about:
        'The orders among which a request chooses for the rows of a READ. Its statements must not end with ORDER BY.',
      example: '{ by: QUERY(sort), allow: { newest: created DESC }, default: newest, key: id }',
      holds: 'map',
      of: 'order',
    },
    page: {
      about:
        'Reads the rows of a READ with `order` page by page: by cursors, page numbers or offsets. NEXT, PREVIOUS, TOTAL, PAGES and LINK read more about the page.',
      example: '{ limit: QUERY(limit), max: 100, after: QUERY(after) }',
      holds: 'map',
      of: 'page',
    },
    filter: {
      about:
        'The conditions among which a request chooses for the rows of a READ with `order`, by name and operator.',
      example: '{ from: QUERY(), allow: { status: status } }',
      holds: 'map',
      of: 'filter',
    },
    join: {
      about: 'Syntax B: connects the rows of this fulfillment with the rows of another fulfillment.',
      example: 'news.author_id == person.id',
      holds: 'conditions',
      syntax: 'B',
    },
  },
  instruction: {
    if: condition('Uses this instruction only if the condition is true.'),
    query: {
      about: 'A SQL statement. `:[expression]` is a bound parameter.',
      example: 'SELECT id, title FROM news WHERE id = :[PARAM(id)]',
    },
    request: {
      about: 'A request to a third-party API.',
      example: '{ url: /news, httpType: GET }',
      holds: 'map',
      of: 'request',
    },
    sql: {
      about: 'A SQL statement with `?` and the list of its parameters.',
      example: '{ query: SELECT title FROM news WHERE id = ?, parameters: [{ param: PARAM(id) }] }',
      holds: 'map',
      of: 'sql',
    },
    message: {
      about: 'A mail, sent by a mail server.',
      example: "{ to: 'VALUE(account, $.email)', subject: TEXT(Welcome), text: 'Hello :[BODY($.name)]' }",
      holds: 'map',
      of: 'message',
    },
    deliver: {
      about:
        'Of a message: `afterCommit` stores the mail in the transaction, and sends it after the commit, at least once and with the same `Message-ID`. A failed mail is repeated for three days. Needs `transaction: true`, and `outbox` in the datasource.',
      example: 'afterCommit',
      holds: 'word',
      words: ['afterCommit'],
    },
  },
  query: {
    if: { ...condition('Uses this query only if the condition is true.'), example: 'param.q != null' },
    query: {
      about: 'A SQL statement. `:[expression]` is a bound parameter.',
      example: 'SELECT id, title FROM news WHERE id = :[param.id]',
      isRequired: true,
    },
  },
  sql: {
    query: {
      about: 'A SQL statement. Every `?` is the next parameter, `??` is a question mark.',
      example: 'SELECT id FROM news WHERE id = ?',
      isRequired: true,
    },
    parameters: {
      about: 'The values of the `?`, in order.',
      example: '[{ param: PARAM(id) }]',
      holds: 'list',
      of: 'parameter',
    },
  },
  parameter: {
    param: { about: 'The value of a `?`.', example: 'PARAM(id)', holds: 'expression', isRequired: true },
  },
  request: {
    url: {
      about:
        'The URL, or a path below the URL of the datasource. Values of `:[expression]` are encoded for their position.',
      example: '/news/:[PARAM(id)]',
      isRequired: true,
    },
    httpType: {
      about: 'The HTTP method.',
      example: 'GET',
      holds: 'word',
      words: ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'],
      isRequired: true,
    },
    header: {
      about: 'Header fields of the request.',
      example: "['Accept: application/json']",
      holds: 'headers',
    },
    body: {
      about: 'The body of the request: JSON, or a form.',
      example: '{ contentType: json, schema: { title: BODY($.title) } }',
      holds: 'map',
      of: 'body',
    },
    multipart: {
      about: 'The parts of a multipart body: expressions by name.',
      example: '{ file: MULTIPART_FILE(file) }',
      holds: 'expressions',
    },
    response: {
      about:
        'The form of the result, in place of the content type of the response: `json` is the JSON value, `text` the string. Replaces `response` of the datasource.',
      example: 'json',
      holds: 'word',
      words: ['json', 'text'],
    },
    retry: retry('Repeats the request after temporary failures. Replaces `retry` of the datasource.'),
    idempotencyKey: {
      about:
        'Sent as the header `Idempotency-Key`, with the same value in each try: an API that supports it does the work once.',
      example: 'VALUE(order, $.id)',
      holds: 'expression',
    },
    pages: {
      about: 'Requests all pages of a list: the result is the list of all elements.',
      example: '{ next: link, max: 50 }',
      holds: 'map',
      of: 'pages',
    },
    signature: {
      about:
        'Signs the bytes that are sent, with a secret from an expression. Replaces `signature` of the datasource.',
      example: "{ scheme: standard-webhooks, secret: 'VALUE(receiver, $.secret)' }",
      holds: 'map',
      of: 'requestSignature',
    },
    deliver: {
      about:
        '`afterCommit` stores the request in the transaction, and sends it after the commit, at least once and with the same `Idempotency-Key`. A failed request is repeated for three days. Needs `transaction: true`, and `outbox` in the datasource. Its result cannot be read.',
      example: 'afterCommit',
      holds: 'word',
      words: ['afterCommit'],
    },
    key: {
      about:
        'With `deliver: afterCommit`: requests with the same key are sent in the order of their commits. A failed request holds up the later ones.',
      example: 'VALUE(order, $.id)',
      holds: 'expression',
    },
  },
  message: {
    to: {
      about:
        'The address of the recipient, or a list of up to 50 addresses. An address is `local@domain`, without a name.',
      example: 'VALUE(account, $.email)',
      holds: 'conditions',
      isRequired: true,
    },
    cc: {
      about: 'The addresses of recipients who receive a copy, or null.',
      example: 'VALUE(team, $[*].email)',
      holds: 'conditions',
    },
    replyTo: {
      about:
        'The address that receives answers, in place of `from` of the datasource. Null omits the header.',
      example: 'CALLER($.email)',
      holds: 'conditions',
    },
    subject: {
      about: 'The subject: one line of text.',
      example: 'TEXT(New password)',
      holds: 'expression',
      isRequired: true,
    },
    text: {
      about: 'The text, with values as `:[expression]`. Null is an empty string.',
      example: 'Hello :[VALUE(account, $.name)]',
      isRequired: true,
    },
    html: {
      about:
        'The message as HTML, for mail programs that show it. Values of `:[expression]` are escaped for their places; links are https or mailto.',
      example: '<p>Hello :[VALUE(account, $.name)]</p>',
    },
  },
  order: {
    by: {
      about: 'The name of the requested order. Null is the default order, and an unknown name is status 400.',
      example: 'QUERY(sort)',
      holds: 'expression',
    },
    allow: {
      about:
        'The orders by name. Each order is a list of columns of the statement, with `ASC` or `DESC` and, on PostgreSQL, `NULLS FIRST` or `NULLS LAST`.',
      example: '{ newest: created DESC, title: title }',
      holds: 'strings',
      isRequired: true,
    },
    default: {
      about: 'The order that is used if a request does not name one.',
      example: 'newest',
      isRequired: true,
    },
    key: {
      about:
        'Columns that identify each row and are never null. They are appended to every order, so that the position of each row is certain.',
      example: 'id',
      isRequired: true,
    },
  },
  page: {
    limit: {
      about:
        'The requested number of rows. Null and any number above `max` mean `max`. Anything but a whole number from 1 is status 400.',
      example: 'QUERY(limit)',
      holds: 'expression',
    },
    max: {
      about: 'The maximum number of rows of a page.',
      example: '100',
      holds: 'integer',
      min: 1,
      max: 10_000,
      isRequired: true,
    },
    after: {
      about:
        'The cursor that NEXT or PREVIOUS returned for another page. Null and an empty string mean the first page. A cursor of another order is status 400. Required without `number` and `offset`.',
      example: 'QUERY(after)',
      holds: 'expression',
    },
    number: {
      about: 'The number of the page, from 1. Null means the first page.',
      example: 'QUERY(page)',
      holds: 'expression',
    },
    offset: {
      about: 'The number of rows before the page. Null means 0.',
      example: 'QUERY(offset)',
      holds: 'expression',
    },
    maxOffset: {
      about:
        'The maximum number of rows before a page that `number` or `offset` names; 10,000 by default. The database reads these rows for each request. A later page is status 400.',
      example: '50000',
      holds: 'integer',
      min: 0,
      max: 1_000_000_000,
    },
    maxTotal: {
      about:
        'The maximum number of rows that TOTAL counts; 100,000 by default. If the list has more rows, TOTAL is null.',
      example: '1000000',
      holds: 'integer',
      min: 1,
      max: 1_000_000_000,
    },
    invalid: {
      about:
        'With `clamp`, an invalid `limit`, `number` or `offset` becomes the nearest valid number instead of status 400.',
      example: 'clamp',
      holds: 'word',
      words: ['clamp'],
    },
  },
  filter: {
    from: {
      about:
        'An object with the conditions by name: the whole query, a parameter, or a part of the body. With null, all rows are read. A name that is neither in `allow` nor read elsewhere is status 400. Or a function that returns a tree of conditions.',
      example: 'QUERY()',
      holds: 'expression',
      isRequired: true,
    },
    allow: {
      about:
        'The names by which requests filter. A column of the statement is compared for equality; a map has other operators.',
      example: '{ status: status, created: { column: created_at, operators: [gte, lt] } }',
      holds: 'namedOrStrings',
      of: 'filterName',
      isRequired: true,
    },
  },
  filterName: {
    column: {
      about: 'The column of the statement that is compared. A response must send it.',
      example: 'created_at',
      isRequired: true,
    },
    operators: {
      about: `The comparisons that requests can choose: ${filterOperators.map((operator) => `\`${operator}\``).join(', ')}. Only \`eq\` without it.`,
      example: '[gte, lt]',
      holds: 'names',
    },
    type: {
      about:
        'The type of the values: required unless a schema shows the type of the column. Other values are status 400.',
      example: 'timestamp',
      holds: 'word',
      words: filterTypes,
    },
    plain: {
      about: 'The name itself is the condition, with the only operator: `?cheaperThan=7`.',
      example: 'true',
      holds: 'boolean',
    },
    separator: {
      about: 'Separates the values of `in` in one string: `?ids=1,2`.',
      example: "','",
    },
  },
  pages: {
    next: {
      about:
        'The source of the next page: `link` is the header Link with rel="next"; a path reads its URL from the body, or with `parameter` the value of that query parameter.',
      example: 'link',
      isRequired: true,
    },
    parameter: { about: 'The query parameter for the value of `next`.', example: 'cursor' },
    items: {
      about: 'The path of the elements in the body of a page; without it the body is the list.',
      example: '$.data',
    },
    max: {
      about: 'The maximum number of pages; more are status 502.',
      example: '50',
      holds: 'integer',
      min: 1,
      max: 10_000,
      isRequired: true,
    },
  },
  requestSignature: {
    scheme: signatureScheme,
    secret: {
      about: 'The secret that the receiver knows.',
      example: 'VALUE(receiver, $.secret)',
      holds: 'expression',
      isRequired: true,
    },
  },
  oauth2: {
    tokenUrl: {
      about: 'The address of the token server: https, or http on this machine.',
      example: 'https://id.example.com/oauth/token',
      isRequired: true,
    },
    clientId: {
      about: 'The id of the client at the token server.',
      example: '${CLIENT_ID}',
      isRequired: true,
    },
    clientSecret: {
      about: 'The secret of the client. `${NAME}` reads an environment variable when the service starts.',
      example: '${CLIENT_SECRET}',
      isRequired: true,
    },
    scope: { about: 'The scopes of the token, separated by spaces.', example: 'orders:read orders:write' },
    parameters: {
      about: 'Additional fields of the request for a token, by name.',
      example: '{ audience: https://api.example.com }',
      holds: 'strings',
    },
    clientAuth: {
      about:
        'How the client authenticates: `basic` (HTTP Basic, the default), or `body` (fields of the form).',
      example: 'body',
      holds: 'word',
      words: ['basic', 'body'],
    },
  },
  signature: {
    scheme: signatureScheme,
    secret: {
      about:
        'The secret that the receiver knows. `${NAME}` reads an environment variable when the service starts.',
      example: '${WEBHOOK_SECRET}',
      isRequired: true,
    },
  },
  limit: {
    perSecond: {
      about: 'The maximum number of requests that begin in any second; 0.5 is one in two seconds.',
      example: '10',
      holds: 'number',
      min: 0.001,
      max: 10_000,
    },
    atOnce: {
      about: 'The maximum number of requests in flight.',
      example: '4',
      holds: 'integer',
      min: 1,
      max: 10_000,
    },
  },
  retry: {
    times: {
      about: 'The maximum number of repetitions; 0 disables them.',
      example: '3',
      holds: 'integer',
      min: 0,
      max: 100,
      isRequired: true,
    },
    on: {
      about:
        'The statuses and failures after which the request is repeated: by default 429, 502, 503, 504, `unreachable` and `timeout`. `unreadable` is possible, too.',
      example: '[429, 503, timeout]',
      holds: 'outcomes',
    },
    wait: {
      about:
        'The longest pause before the second try in seconds, 0.5 by default. It doubles with each try; the actual pause is random.',
      example: '0.5',
      holds: 'number',
      min: 0,
      max: 3600,
    },
    maxWait: {
      about:
        'The longest pause in seconds, 30 by default. If `Retry-After` of a response asks for more, the request is not repeated.',
      example: '30',
      holds: 'number',
      min: 0,
      max: 86_400,
    },
  },
  body: {
    contentType: {
      about: 'How the body is sent: `json`, or `form` for application/x-www-form-urlencoded.',
      example: 'json',
      holds: 'word',
      words: ['json', 'form'],
      isRequired: true,
    },
    schema: {
      about: 'The body in schema notation: nested maps whose leaves are expressions.',
      example: '{ title: BODY($.title) }',
      holds: 'schema',
      isRequired: true,
    },
  },
  exception: {
    if: condition('The condition that ends the operation. An exception has either `if` or `constraint`.'),
    constraint: {
      about:
        'The name of a unique, foreign-key, check or exclusion constraint: its violation by the statement of the fulfillment ends the operation.',
      example: 'link_slug_key',
    },
    statuscode: {
      about: 'The HTTP status that is sent.',
      example: '404',
      holds: 'integer',
      min: 200,
      max: 599,
      isRequired: true,
    },
    message: {
      about: 'The message that is sent. It can contain `:[expression]`.',
      example: 'Not found',
      isRequired: true,
    },
    header: {
      about:
        'Header fields that are sent with the error. A line with null is omitted, and a list gives a line for each element.',
      example: "['Retry-After: 60']",
      holds: 'headers',
    },
    code: {
      about: 'A short name of the error for programs: `ERROR($.code)` in bodies of errors.',
      example: 'news_missing',
    },
    schema: {
      about:
        'The body in schema notation, instead of the form set in `settings.errors`. `ERROR($.message)` reads the error.',
      example: '{ error: ERROR($.message) }',
      holds: 'schema',
    },
  },
  response: {
    name: { about: 'A name for people.', example: 'ok', isRequired: true },
    default: {
      about: 'Whether this response is sent if no condition of another response is true.',
      example: 'true',
      holds: 'boolean',
      isRequired: true,
    },
    if: condition('The condition under which this response is sent; not for the default.'),
    statuscode: {
      about: 'The HTTP status.',
      example: '200',
      holds: 'integer',
      min: 200,
      max: 599,
      isRequired: true,
    },
    header: {
      about:
        'Header fields of the response. Null omits a line, a list is a line for each element. Values in Location, Link and Set-Cookie are encoded for their position.',
      example: "['Location: /news/:[VALUE(news, $.id)]']",
      holds: 'headers',
    },
    contentType: {
      about:
        'The media type. `text/csv` and `application/x-ndjson` are lists, other text types are one string, all other types one base64 string that is sent as its bytes. `{ value, allowed }` is the media type of a stored file.',
      example: 'text/csv',
      holds: 'stringOrMap',
      of: 'fileType',
    },
    schema: {
      about:
        'The body in schema notation: nested maps whose leaves are expressions; `list` and `item` together build an array.',
      example: "{ id: 'VALUE(news, $.id)' }",
      holds: 'schema',
    },
    fileName: {
      about: 'The name under which clients store the response.',
      example: 'TEXT(news.csv)',
      holds: 'expression',
    },
    etag: {
      about: '`true` for the hash of the body, or a version: clients that send it back get 304.',
      example: 'VALUE(news, $.version)',
      holds: 'expression',
    },
    spreadsheet: {
      about:
        'Adds a byte order mark to a CSV, and an apostrophe before strings that a spreadsheet would run as formulas.',
      example: 'true',
      holds: 'boolean',
    },
    omitNull: {
      about:
        'Leaves fields with null out of the JSON of the body, instead of the fields `omitNull` and `omitEmpty` of `settings`.',
      example: 'true',
      holds: 'boolean',
    },
    omitEmpty: {
      about: 'Also leaves out fields with an empty string, 0, false, or an empty list.',
      example: 'true',
      holds: 'boolean',
    },
  },
  fileType: {
    value: {
      about: 'The media type that is stored with the file.',
      example: 'VALUE(file, $.type)',
      holds: 'expression',
      isRequired: true,
    },
    allowed: {
      about: 'The media types that are sent. A file of any other type is sent as `application/octet-stream`.',
      example: '[image/png, image/jpeg]',
      holds: 'names',
      isRequired: true,
    },
  },
  trigger: {
    name: { about: 'A name for people and logs.', example: 'daily', isRequired: true },
    cron: {
      about: 'When the operation runs: second, minute, hour, day of month, month, day of week.',
      example: "'0 0 3 * * *'",
      isRequired: true,
    },
    timezone: {
      about: 'The time zone of the schedule; by default the time zone of the server.',
      example: 'Europe/Berlin',
    },
  },
  datasource: {
    type: {
      about: `${Object.entries(datasourceTypes)
        .map(([type, what]) => `\`${type}\` for ${what}`)
        .join(', ')}.`,
      example: 'db',
      holds: 'word',
      words: Object.keys(datasourceTypes),
      isRequired: true,
    },
    url: {
      about:
        'The JDBC URL of a database, the base URL of a third-party API, or the `smtp:` or `smtps:` URL of a mail server.',
      example: 'jdbc:postgresql://localhost:5432/news',
    },
    ...credentials('the database, third-party API or mail server', 'DB'),
    driver: {
      about: 'The driver of a database: a JDBC class name, `pg` or `mysql2`. The URL is enough.',
      example: 'pg',
    },
    pool: {
      about: 'The size of the connection pool.',
      example: '{ min: 1, max: 10 }',
      holds: 'map',
      of: 'pool',
    },
    timeout: {
      about: 'The timeout of a statement or request in seconds.',
      example: '30',
      holds: 'integer',
      min: 1,
      max: 86_400,
    },
    context: {
      about:
        'PostgreSQL settings of each statement, for the policies of its tables: values of the caller, and constants. If one is null, the call ends with 403.',
      example: "{ app.tenant: 'CALLER($.tenant)' }",
      holds: 'expressions',
    },
    role: { about: 'The role of PostgreSQL under which each statement runs.', example: 'app_user' },
    header: {
      about: 'Header fields of every request to a third-party API.',
      example: "['Accept: application/json']",
      holds: 'headers',
    },
    response: {
      about:
        'The form of results of a third-party API, in place of the content types of its responses: `json` or `text`.',
      example: 'json',
      holds: 'word',
      words: ['json', 'text'],
    },
    retry: retry('Repeats requests to a third-party API after temporary failures.'),
    oauth2: {
      about:
        'Logs in to a third-party API with OAuth 2, client credentials: requests have a token, which is kept and renewed.',
      example: "{ tokenUrl: https://id.example.com/token, clientId: shop, clientSecret: '${CLIENT_SECRET}' }",
      holds: 'map',
      of: 'oauth2',
    },
    signature: {
      about: 'Signs requests to a third-party API: an HMAC over the bytes that are sent, as in webhooks.',
      example: "{ scheme: standard-webhooks, secret: '${WEBHOOK_SECRET}' }",
      holds: 'map',
      of: 'signature',
    },
    limit: {
      about:
        'Limits the requests to a third-party API from each process of the service. Requests over the limit wait.',
      example: '{ perSecond: 10, atOnce: 4 }',
      holds: 'map',
      of: 'limit',
    },
    description: {
      about:
        'The OpenAPI file of a third-party API, in the folder of the configuration or below: requests are compared with it.',
      example: 'payments.yaml',
    },
    from: {
      about:
        'The sender of the mails: an address, or a name with an address in angle brackets. `${NAME}` reads an environment variable when the service starts.',
      example: 'Shop <shop@example.com>',
    },
    outbox: {
      about:
        'The database in which requests and mails with `deliver: afterCommit` are stored until they are sent.',
      example: 'shopdb',
    },
  },
  pool: {
    min: {
      about: 'The number of connections that stay open.',
      example: '1',
      holds: 'integer',
      min: 0,
      max: 1000,
    },
    max: { about: 'The maximum number of connections.', example: '10', holds: 'integer', min: 1, max: 1000 },
  },
  authentication: {
    type: {
      about: sentenceOf(authenticationTypes),
      example: 'basicauth',
      holds: 'word',
      words: Object.keys(authenticationTypes),
      isRequired: true,
    },
    default: {
      about:
        'Whether operations without a list of authentications accept it, if the configuration has several types.',
      example: 'true',
      holds: 'boolean',
    },
    limits: {
      about:
        'Limits on the number of requests with its credentials, counted before the credentials are checked. They read `PARAM(user)` of `basicauth`, `PARAM(key)` of `apikey`, and ADDRESS.',
      example: '[{ by: [PARAM(user), ADDRESS()], times: 10, within: 15m, count: refused }]',
      holds: 'list',
      of: 'requestLimit',
    },
    ...credentials('the account', 'ADMIN'),
    passwordHash: {
      about: 'The scrypt hash of the password, in place of `password`.',
      example: "'${ADMIN_PASSWORD_HASH}'",
    },
    issuer: {
      about: 'The issuer of the tokens: their claim `iss`. `none` accepts any issuer.',
      example: 'https://id.example.com',
    },
    audience: {
      about:
        'The audience of the tokens: their claim `aud`. `none` accepts tokens for any audience, with `key`.',
      example: 'orders',
    },
    expiry: {
      about: '`none` also accepts tokens without the claim `exp`. Needs `operation`.',
      example: 'none',
      holds: 'word',
      words: ['none'],
    },
    jwks: {
      about: 'The address of the public keys of the issuer. It begins with https.',
      example: 'https://id.example.com/.well-known/jwks.json',
    },
    key: {
      about: 'One key in place of `jwks`: a public key in PEM, or a secret of at least 32 bytes.',
      example: "'${TOKEN_KEY}'",
    },
    algorithms: {
      about: 'The accepted signature algorithms; by default the algorithms of the keys.',
      example: '[RS256]',
      holds: 'names',
    },
    scheme: {
      about:
        'Of tokens and keys: the word before them in the `Authorization` header; for tokens, the default is `Bearer`. Of signatures: github, stripe, slack or standard-webhooks.',
      example: 'github',
    },
    scopesClaim: {
      about: 'The claim with the scopes, in place of `scope` and `scp`.',
      example: 'permissions',
    },
    header: { about: 'The header with the key.', example: 'X-Api-Key' },
    query: { about: 'The query parameter with the key.', example: 'api_key' },
    cookie: { about: 'The cookie with the token or key.', example: 'session' },
    prefix: {
      about:
        'The beginning of all keys. Keys without it are refused, and the operation is not called for them.',
      example: 'tk_',
    },
    keys: {
      about: 'The keys by name: at least 32 characters, or `sha256:` and 64 hexadecimal digits.',
      example: "{ acme: '${ACME_KEY}' }",
      holds: 'strings',
    },
    operation: {
      about:
        'An operation without an endpoint that finds the caller, which is its response. It reads `PARAM(key)`, the SHA-256 of an API key in hexadecimal; `PARAM(user)`, the user of HTTP Basic; or `CALLER()`, the claims of a token.',
      example: 'find key',
    },
    issue: {
      about: 'Tokens that the service issues with `TOKEN`.',
      example: '{ lifetime: 15m, claims: [role] }',
      holds: 'map',
      of: 'issue',
    },
    secrets: {
      about: 'The secrets of signatures. A signature with any of them is valid.',
      example: "['${WEBHOOK_SECRET}']",
      holds: 'names',
    },
  },
  issue: {
    lifetime: {
      about:
        'How long a token is valid: a whole number with the unit s, m, h or d; or several lifetimes by name.',
      example: '15m',
      holds: 'stringOrStrings',
      isRequired: true,
    },
    claims: {
      about: 'The claims of a token, in addition to `sub`.',
      example: '[role, tenant]',
      holds: 'names',
    },
    key: {
      about:
        'The key that signs: a secret of at least 32 bytes, or a private key in PEM. Without the field, `key` of the authentication signs. In a list, the first one signs, and tokens of all are accepted.',
      example: "'${SIGNING_KEY}'",
      holds: 'stringOrNames',
    },
  },
  accepted: {
    name: { about: 'The name of an authentication.', example: 'users', isRequired: true },
    scopes: {
      about: 'The scopes that a token needs. All of them are required.',
      example: "['orders:write']",
      holds: 'names',
    },
    optional: {
      about: 'Also accepts requests without any credentials; then CALLER is null.',
      example: 'true',
      holds: 'boolean',
    },
  },
  function: {
    input: {
      about:
        'The types of the arguments: models of the API description, lists of models (`Price[]`), or JSON schemas. Arguments are validated against them. Without it, the function has no arguments.',
      example: '[{ type: string, nullable: true }]',
      holds: 'models',
    },
    returns: {
      about:
        'The type of the result: a model of the API description, a list of models (`Price[]`), or a JSON schema. Results are validated against it.',
      example: '{ type: string }',
      holds: 'model',
      isRequired: true,
    },
  },
  settings: {
    debug: { about: 'Serves a test page with traces at /docs-ui.', example: 'true', holds: 'boolean' },
    features: {
      about:
        'Deprecated and without effect: all settings work in every service. The field will be removed in the next version.',
      example: '[]',
      holds: 'names',
      isDeprecated: true,
    },
    apiDocs: {
      about: 'Publishes the API description at /v3/api-docs, without the test page.',
      example: 'true',
      holds: 'boolean',
    },
    basePath: { about: 'The prefix of the paths of all operations.', example: '/api/v1' },
    errors: {
      about:
        'The form of error bodies: `message` is `{"message"}`, `problem` follows RFC 9457. Or a list of forms, of which the first form that matches the status is used.',
      example: 'problem',
      holds: 'errors',
      of: 'errors',
      words: ['message', 'problem'],
    },
    numbers: {
      about:
        'How responses send `bigint`, `numeric` and `decimal`: `exact` (the default) is a number if a double holds it, otherwise the string of its digits; `string` is always the string.',
      example: 'string',
      holds: 'word',
      words: ['exact', 'string'],
    },
    limits: {
      about:
        'Limits on the number of requests of all operations together, in addition to the limits of each operation.',
      example: '[{ by: ADDRESS(), times: 600, within: 1m }]',
      holds: 'list',
      of: 'requestLimit',
    },
    omitNull: {
      about: 'Leaves fields with null out of the JSON of all responses.',
      example: 'true',
      holds: 'boolean',
    },
    omitEmpty: {
      about: 'Also leaves out fields with an empty string, 0, false, or an empty list.',
      example: 'true',
      holds: 'boolean',
    },
    licence: {
      about: 'A licence key, defined by the specification. It has no effect; the start logs it, masked.',
      example: '${LICENCE}',
    },
  },
  requestLimit: {
    by: {
      about:
        'The value by which requests are counted, or a list of values. A null value is replaced by the address of the client.',
      example: '[BODY($.email), ADDRESS()]',
      holds: 'conditions',
      isRequired: true,
    },
    times: {
      about: 'The maximum number of requests with the same values.',
      example: '5',
      holds: 'integer',
      min: 1,
      max: 1_000_000,
      isRequired: true,
    },
    within: {
      about:
        'The period in which requests are counted, from the first request: a number with the unit s, m, h or d.',
      example: '15m',
      isRequired: true,
    },
    count: {
      about:
        '`all` (the default) counts all requests, `refused` requests with a status from 400 to 499; in an authentication, requests with refused credentials.',
      example: 'refused',
      holds: 'word',
      words: ['all', 'refused'],
    },
    store: {
      about:
        'The database that counts for all processes together. Without it, each process counts for itself.',
      example: 'shopdb',
    },
  },
  idempotency: {
    key: {
      about:
        'The key, which is the same in each repetition of a request: a header, or another value of the request.',
      example: 'HEADER(idempotency-key)',
      holds: 'expression',
      isRequired: true,
    },
    required: {
      about: 'Refuses requests without a key with status 400. By default, they are served as usual.',
      example: 'true',
      holds: 'boolean',
    },
    keep: {
      about:
        'How long a key is kept, from its first request: a number with the unit s, m, h or d. The default is 24 hours.',
      example: '24h',
    },
  },
  errors: {
    statuscode: {
      about: 'The statuses with this form: numbers, `4xx`, `5xx`, or a list of them; by default all.',
      example: '[401, 4xx]',
      holds: 'statuses',
    },
    contentType: {
      about: 'The content type: a type of JSON, or `text/plain`.',
      example: 'application/vnd.api+json',
    },
    schema: {
      about: 'The body in schema notation; for `text/plain` one expression. It can only read the error.',
      example: '{ errors: { body: ERROR($.message) } }',
      holds: 'schema',
      isRequired: true,
    },
  },
};

/** The description of a field in maps of that kind. */
export function fieldInfo(kind: Kind, name: string): FieldInfo | undefined {
  return Object.hasOwn(fieldTable[kind], name) ? fieldTable[kind][name] : undefined;
}

/** The required fields of the table. */
export function requiredIn(table: FieldTable): readonly string[] {
  return Object.keys(table).filter((field) => table[field]?.isRequired === true);
}
