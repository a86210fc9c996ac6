/** The fields of test files: a single table for the reader, its hints and the JSON schema. */
import { stubFaults } from '../../local/stub-server.js';
import type { FieldForm } from '../../../read/config/field-table.js';
import type { JsonMap } from '../../../read/json.js';

const scalar = { type: ['string', 'number', 'boolean', 'null'] } as const;
const text = { type: 'string' } as const;
const anything = {} as const;

export interface TestField extends FieldForm {
  readonly about: string;
  readonly schema: JsonMap;
}

function field(about: string, example: string, schema: JsonMap): TestField {
  return { about, example, schema };
}

const header = field(
  'Headers by name, or a list of `Key: Value`; other headers are allowed.',
  '{ Accept: application/json }',
  { type: ['object', 'array'] },
);

const query = field('Parameters of the query; a list repeats the parameter.', '{ limit: 10, tag: [a, b] }', {
  type: 'object',
  additionalProperties: { anyOf: [scalar, { type: 'array', items: scalar }] },
});

const request = field('Method and path.', 'GET /news/1?q=pots', {
  type: 'string',
  pattern:
    '^\\s*([Gg][Ee][Tt]|[Pp][Oo][Ss][Tt]|[Pp][Uu][Tt]|[Pp][Aa][Tt][Cc][Hh]|[Dd][Ee][Ll][Ee][Tt][Ee]|[Hh][Ee][Aa][Dd]|[Oo][Pp][Tt][Ii][Oo][Nn][Ss])\\s+/\\S*\\s*$',
});

const rows = {
  type: 'object',
  additionalProperties: {
    anyOf: [
      { type: 'array', items: { type: 'object' } },
      { type: 'object', additionalProperties: { type: ['array', 'null'] } },
      { type: 'null' },
    ],
  },
} as const;

function integer(about: string, example: string, min: number, max: number): TestField {
  return { ...field(about, example, { type: 'integer', minimum: min, maximum: max }), min, max };
}

function status(about: string, example: string): TestField {
  const inQuotes = { type: 'string', pattern: '^[1-5][0-9]{2}$' };
  const number = integer(about, example, 100, 599);
  return { ...number, schema: { anyOf: [number.schema, inQuotes] } };
}

function required(one: TestField): TestField {
  return { ...one, isRequired: true };
}

function reference(name: string): JsonMap {
  return { $ref: `#/definitions/${definitionName(name)}` };
}

/** Converts `an expected response` to `expectedResponse`. */
export function definitionName(name: string): string {
  return name.replace(/^an? /, '').replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Fields of a test or a step. */
const stepFields = {
  name: field('The name of the test, which `--filter` searches.', 'a task that does not exist', scalar),
  now: field('The value of NOW(); the real time by default.', '2026-01-31T12:00:00Z', text),
  request,
  query,
  header,
  body: field('A JSON body; with operationName, the value of BODY.', '{ title: Write tests }', anything),
  bodyText: field('A body that is sent unchanged.', 'a=1&b=2', text),
  form: field(
    'Fields of a form without files, application/x-www-form-urlencoded.',
    '{ mail: a@example.com, tag: [x, y] }',
    { type: 'object' },
  ),
  multipart: field(
    'Parts of a form by name: a string, or a map with file or text.',
    '{ photo: { file: photo.png } }',
    {
      type: 'object',
      additionalProperties: { anyOf: [scalar, reference('a part')] },
    },
  ),
  authentication: field(
    'The name of an authentication, whose credentials the request carries.',
    'admin',
    text,
  ),
  claims: field(
    'Claims of the token that the request carries, with an authentication of type jwt.',
    '{ sub: ada, tenant: 1 }',
    { type: 'object' },
  ),
  key: field(
    'With an authentication of type apikey: the name of one of its keys, or the key where an operation finds its caller.',
    'acme',
    text,
  ),
  user: field(
    'With an authentication of type basicauth whose operation finds accounts: the user.',
    'ada',
    text,
  ),
  password: field('The password of `user`.', 'opensesame', text),
  operationName: field('Calls this operation.', 'load order', text),
  parameters: field('PARAM of the operation that is called.', '{ id: 1 }', { type: 'object' }),
  tool: field('Calls this tool as an MCP client does.', 'list_invoices', text),
  arguments: field('The arguments of the tool.', '{ limit: 10 }', { type: 'object' }),
  trigger: field('Runs the operation that has this trigger.', 'hourly', text),
  datasources: field(
    'Third parties by name: the requests that they receive, each with its response.',
    '{ bank: [{ request: GET /rates }] }',
    {
      type: 'object',
      additionalProperties: {
        anyOf: [reference('a stubbed request'), { type: 'array', items: reference('a stubbed request') }],
      },
    },
  ),
  mail: field(
    'The mails that are sent: one, or a list.',
    "{ to: anna@example.com, subject: New password, keep: { token: 'reset#(\\S+)' } }",
    { anyOf: [reference('a mail'), { type: 'array', items: reference('a mail') }] },
  ),
  response: field(
    'The expected response.',
    '{ statuscode: 200, body: { id: <integer> } }',
    reference('an expected response'),
  ),
  rowsAfter: field(
    'Tables with their expected rows after the test, in any order; or a SELECT with its rows.',
    '{ task: [{ id: 1 }] }',
    rows,
  ),
  keep: field('Names with paths into the response; later steps read them as `:[name]`.', '{ id: $.id }', {
    type: 'object',
    additionalProperties: { type: 'string', pattern: '^\\$' },
  }),
};

/** Fields by kind of map, in documentation order. */
export const testFields = {
  'a test file': {
    tests: required(
      field('The tests.', '[{ name: one task, request: GET /tasks/1 }]', {
        type: 'array',
        items: reference('a test'),
      }),
    ),
    environment: field('Variables of the service, for all tests of the file.', '{ LOOP_LIMIT: 10 }', {
      type: 'object',
      additionalProperties: scalar,
    }),
  },
  'a test': {
    ...stepFields,
    name: required(stepFields.name),
    seed: field('False begins with empty tables instead of the rows of seed.sql.', 'false', {
      enum: [true, false, 'true', 'false'],
    }),
    uuids: field('The results of UUID(), in this order.', '[00000000-0000-4000-8000-000000000001]', {
      type: 'array',
      items: text,
    }),
    randoms: field('The results of RANDOM(), in this order.', '[first-token, second-token]', {
      type: 'array',
      items: text,
    }),
    rows: field('Tables with rows to insert before the test.', '{ task: [{ id: 7, title: Seven }] }', rows),
    steps: field('Several requests or calls in order.', '[{ name: add, request: POST /tasks }]', {
      type: 'array',
      minItems: 1,
      items: reference('a step'),
    }),
  },
  'a step': stepFields,
  'an expected response': {
    statuscode: status('The expected status; by default any status below 400.', '404'),
    header,
    body: field('Exactly this; `<integer>`, `<any>` and `/…/` are patterns.', '{ id: <integer> }', anything),
    bodyIncludes: field(
      'At least this: maps may have more fields, lists more items.',
      '{ title: Seven }',
      anything,
    ),
    described: field('False if the body may contradict the API description.', 'false', {
      enum: [true, false, 'true', 'false'],
    }),
  },
  'a stubbed request': {
    request: required(request),
    query,
    header,
    body: field('Its JSON body, exactly.', '{ amount: 3 }', anything),
    bodyIncludes: field(
      'A part of its JSON body: maps may have more fields, lists more items.',
      '{ amount: 3 }',
      anything,
    ),
    form: field('All fields of its form.', '{ grant_type: client_credentials }', { type: 'object' }),
    signedWith: field('The secret of its signature.', 'secret-of-the-receiver', text),
    times: integer('The number of times that it arrives.', '2', 0, 10_000),
    response: field(
      'The response.',
      '{ statuscode: 200, body: { rate: 1.5 } }',
      reference('a stubbed response'),
    ),
  },
  'a stubbed response': {
    statuscode: status('The status; 200 by default.', '503'),
    header,
    body: field('A JSON value, or a string with another Content-Type.', '{ rate: 1.5 }', anything),
    fault: field('A failure instead of a response.', 'timeout', { enum: stubFaults }),
    delay: integer('Milliseconds before the response.', '200', 0, 60_000),
  },
  'a mail': {
    datasource: field('The mail server; needed if there are several.', 'mail', text),
    to: field('The address of the recipient, or a list of addresses.', 'anna@example.com', anything),
    cc: field('The addresses that receive a copy.', '[office@example.com]', anything),
    replyTo: field('The address for answers.', 'help@example.com', anything),
    subject: field('Its subject.', 'New password', text),
    text: field('Its text.', '/your link/', text),
    html: field('Its HTML.', '/your link/', text),
    statuscode: status('The status of the response of the mail server; 250 by default.', '550'),
    keep: field(
      'Names with regular expressions of one group over the text; later steps read the group as `:[name]`.',
      "{ token: 'reset#(\\S+)' }",
      { type: 'object', additionalProperties: text },
    ),
  },
  'a part': {
    text: field('The content.', 'a caption', scalar),
    file: field('A path relative to the folder of the test file.', 'photo.png', text),
    filename: field('The name of the file.', 'photo.png', text),
    contentType: field('The kind of the content.', 'image/png', text),
  },
} satisfies Readonly<Record<string, Readonly<Record<string, TestField>>>>;

/** Fields that belong to requests, to calls of operations, or to triggers. */
export const ofActions = {
  request: [
    ...(['query', 'header', 'body', 'bodyText', 'form', 'multipart'] as const),
    ...(['authentication', 'claims', 'key', 'user', 'password'] as const),
  ],
  operationName: ['parameters', 'body'],
  tool: [...(['arguments', 'header', 'authentication', 'claims', 'key', 'user', 'password'] as const)],
  trigger: ['operationName'],
} as const;
