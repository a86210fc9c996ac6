/** The JSON schema of test files, made of the fields that they are read with: editors check and complete YAML by it. */
import { stubFaults } from '../../local/stub-server.js';
import type { testFields } from './test-fields.js';
import type { JsonMap } from '../../../read/json.js';

type Resource = keyof typeof testFields;
type Field<R extends Resource> = (typeof testFields)[R][number];

/** Its name, not an address: it is never fetched. */
const draft = 'http://json-schema.org/draft-07/schema#';

const scalar = { type: ['string', 'number', 'boolean', 'null'] } as const;
const text = { type: 'string' } as const;
const anything = {} as const;

function about(description: string, schema: JsonMap): JsonMap {
  return { description, ...schema };
}

const header = about(
  'Headers by name, or a list of `Key: Value`; others may be there.\n\nExample: { Accept: application/json }',
  { type: ['object', 'array'] },
);

const query = about(
  'Parameters of the query; a list repeats the parameter.\n\nExample: { limit: 10, tag: [a, b] }',
  {
    type: 'object',
    additionalProperties: { anyOf: [scalar, { type: 'array', items: scalar }] },
  },
);

const request = about('Method and path.\n\nExample: GET /news/1?q=pots', {
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

const status = {
  anyOf: [
    { type: 'integer', minimum: 100, maximum: 599 },
    { type: 'string', pattern: '^[1-5][0-9]{2}$' },
  ],
};

/** The fields of a test and of a step. */
const stepFields: Readonly<Record<Field<'a step'>, JsonMap>> = {
  name: about('What is tested; `--filter` looks in it.\n\nExample: a task that does not exist', scalar),
  now: about('What NOW() is; without it the real time.\n\nExample: 2026-01-31T12:00:00Z', text),
  request,
  query,
  header,
  body: about('A JSON body; with operationName what BODY is.\n\nExample: { title: Write tests }', anything),
  bodyText: about('A body as it is.\n\nExample: a=1&b=2', text),
  form: about(
    'Fields of a form without files, application/x-www-form-urlencoded.\n\nExample: { mail: a@example.com, tag: [x, y] }',
    { type: 'object' },
  ),
  multipart: about(
    'Parts of a form by name: a string, or a map with file or text.\n\nExample: { photo: { file: photo.png } }',
    {
      type: 'object',
      additionalProperties: { anyOf: [scalar, reference('a part')] },
    },
  ),
  authentication: about(
    'The name of an authentication, whose credentials the request carries.\n\nExample: admin',
    text,
  ),
  claims: about(
    'Claims of the token that the request carries, with an authentication of type jwt.\n\nExample: { sub: ada, tenant: 1 }',
    { type: 'object' },
  ),
  key: about(
    'With an authentication of type apikey: the name of one of its keys, or the key where an operation finds its caller.\n\nExample: acme',
    text,
  ),
  operationName: about('Calls this operation.\n\nExample: load order', text),
  parameters: about('PARAM of the operation that is called.\n\nExample: { id: 1 }', { type: 'object' }),
  trigger: about('Runs the operation that has this trigger.\n\nExample: hourly', text),
  datasources: about(
    'Third parties by name: the requests that they receive, each with its response.\n\nExample: { bank: [{ request: GET /rates }] }',
    {
      type: 'object',
      additionalProperties: {
        anyOf: [reference('a stubbed request'), { type: 'array', items: reference('a stubbed request') }],
      },
    },
  ),
  response: about(
    'What the response must be.\n\nExample: { statuscode: 200, body: { id: <integer> } }',
    reference('an expected response'),
  ),
  rowsAfter: about(
    'Tables with the rows that they have afterwards, in any order; or a SELECT with its rows.\n\nExample: { task: [{ id: 1 }] }',
    rows,
  ),
  keep: about(
    'Names with paths into the response; later steps read them as `:[name]`.\n\nExample: { id: $.id }',
    {
      type: 'object',
      additionalProperties: { type: 'string', pattern: '^\\$' },
    },
  ),
};

const fields: { readonly [R in Resource]: Readonly<Record<Field<R>, JsonMap>> } = {
  'a test file': {
    tests: about('The tests.\n\nExample: [{ name: one task, request: GET /tasks/1 }]', {
      type: 'array',
      items: reference('a test'),
    }),
    environment: about(
      'Variables of the service, for all tests of the file.\n\nExample: { LOOP_LIMIT: 10 }',
      {
        type: 'object',
        additionalProperties: scalar,
      },
    ),
  },
  'a test': {
    ...stepFields,
    seed: about('False begins with empty tables instead of the rows of seed.sql.\n\nExample: false', {
      enum: [true, false, 'true', 'false'],
    }),
    uuids: about('What UUID() returns, in this order.\n\nExample: [00000000-0000-4000-8000-000000000001]', {
      type: 'array',
      items: text,
    }),
    rows: about(
      'Tables with rows that are inserted before.\n\nExample: { task: [{ id: 7, title: Seven }] }',
      rows,
    ),
    steps: about('Several requests or calls in order.\n\nExample: [{ name: add, request: POST /tasks }]', {
      type: 'array',
      minItems: 1,
      items: reference('a step'),
    }),
  },
  'a step': stepFields,
  'an expected response': {
    statuscode: about('The status; any below 400 where it is left out.\n\nExample: 404', status),
    header,
    body: about(
      'Exactly this; `<integer>`, `<any>` and `/…/` are patterns.\n\nExample: { id: <integer> }',
      anything,
    ),
    bodyIncludes: about(
      'At least this: maps may have more fields, lists more items.\n\nExample: { title: Seven }',
      anything,
    ),
  },
  'a stubbed request': {
    request,
    query,
    header,
    body: about('Its JSON body, exactly.\n\nExample: { amount: 3 }', anything),
    bodyIncludes: about('What its JSON body has at least.\n\nExample: { amount: 3 }', anything),
    form: about('All fields of its form.\n\nExample: { grant_type: client_credentials }', { type: 'object' }),
    signedWith: about(
      'The secret that its signature must be made with.\n\nExample: secret-of-the-receiver',
      text,
    ),
    times: about('How often it arrives.\n\nExample: 2', { type: 'integer', minimum: 0, maximum: 10_000 }),
    response: about(
      'The response.\n\nExample: { statuscode: 200, body: { rate: 1.5 } }',
      reference('a stubbed response'),
    ),
  },
  'a stubbed response': {
    statuscode: about('The status; 200 where it is left out.\n\nExample: 503', status),
    header,
    body: about('A JSON value, or a string with another Content-Type.\n\nExample: { rate: 1.5 }', anything),
    fault: about('What goes wrong instead.\n\nExample: timeout', { enum: stubFaults }),
    delay: about('Milliseconds before the response.\n\nExample: 200', {
      type: 'integer',
      minimum: 0,
      maximum: 60_000,
    }),
  },
  'a part': {
    text: about('The content.\n\nExample: a caption', scalar),
    file: about('A path beside the test file.\n\nExample: photo.png', text),
    filename: about('The name of the file.\n\nExample: photo.png', text),
    contentType: about('The kind of the content.\n\nExample: image/png', text),
  },
};

const required: Partial<Readonly<Record<Resource, readonly string[]>>> = {
  'a test file': ['tests'],
  'a test': ['name'],
  'a stubbed request': ['request'],
};

/** JSON schema, draft-07. */
export function testJsonSchema(): JsonMap {
  const { 'a test file': file, ...others } = fields;
  return {
    $schema: draft,
    title: 'apikiln tests',
    ...objectOf(file, required['a test file']),
    // Keys of the user, as a place for anchors.
    patternProperties: { '^x-': true },
    definitions: Object.fromEntries(
      Object.entries(others).map(([name, own]) => [
        definitionName(name),
        { title: name, ...objectOf(own, required[name as Resource]) },
      ]),
    ),
  };
}

function objectOf(properties: JsonMap, needed: readonly string[] | undefined): JsonMap {
  return { type: 'object', properties, ...(needed && { required: needed }), additionalProperties: false };
}

function reference(name: Exclude<Resource, 'a test file'>): JsonMap {
  return { $ref: `#/definitions/${definitionName(name)}` };
}

/** `an expected response` is `expectedResponse`. */
function definitionName(name: string): string {
  return name.replace(/^an? /, '').replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase());
}
