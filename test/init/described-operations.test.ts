/** Operations that `apikiln init --from-openapi` writes for an endpoint, and endpoints that remain placeholders: one of each form. */
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { readDescription } from '../../compiler/read/openapi/read-description.js';
import {
  DescriptionWriter,
  type Remedy,
  type WrittenConfiguration,
} from '../../compiler/tools/init/from-description.js';
import { wordsOf } from '../../compiler/tools/init/words.js';

type Dialect = 'postgresql' | 'mysql';

const ok = (schema: object, status = 200) => ({
  responses: { [status]: { description: 'OK', content: { 'application/json': { schema } } } },
});
const done = { responses: { 204: { description: 'Done' } } };
const made = { responses: { 201: { description: 'Made' } } };
const sent = (schema: object) => ({
  requestBody: { required: true, content: { 'application/json': { schema } } },
});
const query = (name: string, schema: object, required = false) => ({ name, in: 'query', required, schema });
const model = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const list = (item: object) => ({ type: 'array', items: item });
const object = (properties: object, ...required: string[]) => ({ type: 'object', properties, required });
const text = { type: 'string' };
const whole = { type: 'integer' };

const pet = object({ id: { ...whole, readOnly: true }, name: text, tags: list(text) }, 'id', 'name');
const schemas = {
  Pet: pet,
  Event: object({ key: text, createdAt: { ...text, format: 'date-time' } }, 'key'),
  Tagging: object({ tags: list(text) }),
  Line: object({ text, level: text }),
  Owned: object({ id: { ...whole, readOnly: true }, ownerId: text, name: text }, 'id'),
  // `Base` is included twice.
  Both: { allOf: [model('Base'), { allOf: [model('Base')], ...object({ id: whole, label: text }) }] },
  Base: object({ code: { type: ['string', 'integer'] } }),
};

function written(
  paths: object,
  dialect: Dialect = 'postgresql',
  remedies: ReadonlyMap<string, Remedy> = new Map(),
): WrittenConfiguration {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    paths,
    components: { schemas },
  };
  const source = { path: 'openapi.json', text: JSON.stringify(document) };
  const report = new Report();
  const description = readDescription({ source, read: () => undefined }, report);
  if (description === undefined || report.hasErrors) throw new Error(JSON.stringify(report.diagnostics));
  return new DescriptionWriter(description, { words: wordsOf('a'), dialect }).write(remedies);
}

interface Written {
  readonly fulfillments: readonly { readonly instructions: readonly [{ readonly query: string }] }[];
  readonly responses: readonly { readonly schema?: unknown }[];
}

function operationIn({ config }: WrittenConfiguration, name: string): Written {
  const { operations } = parse(config) as { operations: Readonly<Record<string, Written>> };
  const found = operations[name];
  if (found === undefined) throw new Error(`There is no ${name}.`);
  return found;
}

/** The statements of an operation, each on one line. */
function statementsOf(operation: Written): string[] {
  return operation.fulfillments.map(({ instructions: [{ query: sql }] }) =>
    sql.replaceAll(/\s+/g, ' ').trim(),
  );
}

/** A description of an operation that returns a list of the model, with these parameters. */
function listOf(name: string, parameters: readonly object[], schema: object = list(model(name))): object {
  return { '/pets': { get: { ...ok(schema), parameters } } };
}

const envelope = (properties: object, ...required: string[]) =>
  object({ data: list(model('Pet')), ...properties }, ...required);

describe('lists', () => {
  test.each<[what: string, paths: object, dialect: Dialect, statement: string]>([
    [
      'a list of values that a list holds',
      listOf('Pet', [query('tags', list(text))]),
      'postgresql',
      'SELECT id, name, tags FROM pets WHERE (:[PARAM(tags)]::text[] IS NULL OR tags && :[PARAM(tags)]::text[]) ORDER BY id LIMIT 1000',
    ],
    [
      'no order where nothing can be sorted',
      listOf('Tagging', []),
      'postgresql',
      'SELECT tags FROM pets LIMIT 1000',
    ],
    [
      'no order of rows that are counted off',
      listOf('Tagging', [query('limit', whole)]),
      'mysql',
      'SELECT tags FROM ( SELECT tags, row_number() OVER () AS row_position FROM pets ) AS numbered WHERE row_position > 0 AND row_position <= 0 + coalesce(:[PARAM(limit)], 20) ORDER BY row_position',
    ],
    [
      'pages that are counted from 0',
      listOf('Pet', [query('page', { ...whole, minimum: 0 }), query('size', { ...whole, default: 5 })]),
      'postgresql',
      'SELECT id, name, tags FROM pets ORDER BY id LIMIT :[PARAM(size)] OFFSET (coalesce(:[PARAM(page)], 0)) * :[PARAM(size)]',
    ],
    [
      'rows after a key that is always sent',
      listOf('Pet', [query('after', whole, true)]),
      'postgresql',
      'SELECT id, name, tags FROM pets WHERE id > :[PARAM(after)]::integer',
    ],
    [
      'the direction alone, of the time',
      listOf('Event', [
        query('order', { ...text, enum: ['asc', 'desc'] }),
        query('offset', { ...whole, default: 0 }),
      ]),
      'postgresql',
      "SELECT \"key\", created_at AS \"createdAt\" FROM pets ORDER BY CASE WHEN coalesce(:[PARAM(order)], 'asc') = 'asc' THEN created_at END, CASE WHEN coalesce(:[PARAM(order)], 'asc') = 'desc' THEN created_at END DESC, \"key\" LIMIT 1000 OFFSET :[PARAM(offset)]",
    ],
    [
      'newest and oldest',
      listOf('Event', [
        query('sort', { ...text, enum: ['newest', 'oldest'], default: 'newest' }),
        query('offset', { ...whole, default: 0 }),
      ]),
      'mysql',
      "SELECT `key`, created_at AS createdAt FROM pets ORDER BY CASE WHEN :[PARAM(sort)] = 'newest' THEN created_at END DESC, CASE WHEN :[PARAM(sort)] = 'oldest' THEN created_at END, `key` LIMIT 1000 OFFSET :[PARAM(offset)]",
    ],
  ])('%s', (_, paths, dialect, statement) => {
    expect(statementsOf(operationIn(written(paths, dialect), 'GET /pets'))).toEqual([statement]);
  });

  test('numbers of the page are returned as they were asked for', () => {
    const schema = envelope({ limit: whole, offset: whole, count: whole, next: text }, 'data', 'limit');
    const { responses } = operationIn(
      written(
        listOf('Pet', [query('limit', whole, true), query('offset', { ...whole, default: 0 })], schema),
      ),
      'GET /pets',
    );
    expect(responses[0]?.schema).toEqual({
      ...{ data: 'VALUE(page, $)', limit: 'PARAM(limit)', offset: 'PARAM(offset)' },
      count: 'VALUE(count, $.total)',
    });
  });

  test.each<[what: string, paths: object, dialect?: Dialect]>([
    [
      'rows without a field that is returned',
      listOf('Pet', [], list(object({ pin: { ...text, writeOnly: true } }))),
    ],
    ['an order by what is no field', listOf('Pet', [query('sort', { ...text, enum: ['name', 'age'] })])],
    ['an order by a list', listOf('Pet', [query('sort', { ...text, enum: ['tags'] })])],
    ['an order by numbers', listOf('Pet', [query('sort', { ...whole, enum: [1, 2] })])],
    ['a direction of rows without a key', listOf('Tagging', [query('order', { ...text, enum: ['asc'] })])],
    [
      'rows after a key in another order',
      listOf('Pet', [query('after', whole), query('sort', { ...text, enum: ['name'] })]),
    ],
    ['rows after a key of another type', listOf('Pet', [query('after', text)])],
    [
      'a number as the text for the next page',
      listOf('Pet', [query('cursor', whole)], envelope({ next_cursor: text })),
    ],
    [
      'a string for the next page in addition to the number of a row',
      listOf('Pet', [query('cursor', text), query('offset', whole)], envelope({ next_cursor: text })),
    ],
    [
      'a required field that is unknown',
      listOf('Pet', [], envelope({ page: object({ x: text }, 'x') }, 'page')),
    ],
    ['a filter that is no field', listOf('Pet', [query('age', whole)])],
    ['a filter of another type', listOf('Pet', [query('name', whole)])],
    ['a filter of several types', listOf('Pet', [query('name', { type: ['string', 'integer'] })])],
    ['a list of values on MySQL', listOf('Pet', [query('names', list(text))]), 'mysql'],
  ])('%s is a placeholder', (_, paths, dialect) => {
    expect(written(paths, dialect)).toMatchObject({ placeholders: 1 });
  });
});

const item = { name: 'petId', in: 'path', required: true, schema: whole };
const petOf = (methods: object): object => ({ '/pets/{petId}': { parameters: [item], ...methods } });
const read = { get: ok(model('Pet')) };

describe('rows', () => {
  test.each<[what: string, name: string, paths: object, dialect: Dialect, statements: readonly string[]]>([
    [
      'a deletion that returns the row',
      'DELETE /pets/{petId}',
      petOf({ ...read, delete: ok(object({ pet: model('Pet') })) }),
      'postgresql',
      ['DELETE FROM pets WHERE id = :[PARAM(petId)] RETURNING id, name, tags'],
    ],
    [
      'a change whose body has the key of the path',
      'PUT /pets/{petId}',
      petOf({ ...read, put: { ...done, ...sent(object({ id: whole, name: text }, 'id')) } }),
      'postgresql',
      [
        "UPDATE pets SET id = :[BODY($.id)], name = coalesce(:[BODY($.name)]::text, '') WHERE id = :[PARAM(petId)]",
      ],
    ],
    [
      'a part that is there twice, and a field of two types',
      'POST /pets',
      { '/pets': { post: { ...done, ...sent(model('Both')) }, get: ok(list(model('Both'))) } },
      'postgresql',
      [
        "INSERT INTO pets (id, code, label) VALUES (coalesce(:[BODY($.id)]::integer, greatest(nextval(pg_get_serial_sequence('pets', 'id')), (SELECT max(id) + 1 FROM pets))), :[BODY($.code)], :[BODY($.label)])",
      ],
    ],
  ])('%s', (_, name, paths, dialect, statements) => {
    expect(statementsOf(operationIn(written(paths, dialect), name))).toEqual(statements);
  });

  test('what the path says of the owner wins, also in the test', () => {
    const owner = { name: 'ownerId', in: 'path', required: true, schema: { ...text, enum: ['/a/'] } };
    const { config, tests } = written({
      '/owners/{ownerId}/pets': {
        parameters: [owner],
        post: { ...ok(model('Owned'), 201), ...sent(object({ ownerId: text, name: text })) },
      },
    });
    expect(config).toContain("# 'ownerId' is 'ownerId' of the path, whatever the body says.\n");
    expect(parse(tests ?? '')).toMatchObject({
      tests: [
        {
          request: 'POST /owners/%2Fa%2F/pets',
          body: { ownerId: '/a/', name: 'text' },
          response: { bodyIncludes: { ownerId: '\\/a/' } },
        },
      ],
    });
  });

  const pets = { get: ok(list(model('Pet'))), post: { ...ok(model('Pet'), 201), ...sent(model('Pet')) } };
  test.each<[what: string, name: string, paths: object, dialect?: Dialect]>([
    [
      'a list with a body',
      'GET /pets',
      { '/pets': { ...pets, get: { ...pets.get, ...sent(model('Pet')) } } },
    ],
    ['one that no path names', 'GET /pets', { '/pets': { ...pets, get: ok(model('Pet')) } }],
    ['a deletion of all', 'DELETE /pets', { '/pets': { ...pets, delete: done } }],
    ['options', 'OPTIONS /pets', { '/pets': { ...pets, options: done } }],
    [
      'a row without fields',
      'GET /pets/{petId}',
      petOf({ put: { ...done, ...sent(model('Pet')) }, get: ok(text) }),
    ],
    [
      'a deletion that returns a message',
      'DELETE /pets/{petId}',
      petOf({ ...read, delete: ok(object({ message: text })) }),
    ],
    [
      'a deletion that returns the row, on MySQL',
      'DELETE /pets/{petId}',
      petOf({ ...read, delete: ok(model('Pet')) }),
      'mysql',
    ],
    [
      'a change without a key',
      'PUT /pets',
      { '/pets': { ...pets, put: { ...done, ...sent(object({ name: text })) } } },
    ],
    [
      'a change that returns a message',
      'PUT /pets/{petId}',
      petOf({ ...read, put: { ...ok(object({ message: text })), ...sent(object({ name: text })) } }),
    ],
    [
      'a row without a key that is returned, on MySQL',
      'POST /lines',
      { '/lines': { post: { ...ok(model('Line'), 201), ...sent(model('Line')) } } },
      'mysql',
    ],
  ])('%s is a placeholder', (_, name, paths, dialect) => {
    const { config } = written(paths, dialect);
    const before = config
      .slice(0, config.indexOf(`  ${name}:\n`))
      .trimEnd()
      .split('\n')
      .at(-1);
    expect(before).toContain('# A placeholder: ');
  });
});

describe('tests', () => {
  test('a key that is not a word is kept, and the pages after it are read', () => {
    const row = object({ 'pet-id': whole, name: text }, 'pet-id');
    const { tests } = written({
      '/pets': { post: { ...ok(object({ pet: row }), 201), ...sent(object({ name: text })) } },
      '/pets/{pet-id}': { get: { ...ok(row), parameters: [{ ...item, name: 'pet-id' }] } },
    });
    expect(parse(tests ?? '')).toMatchObject({
      tests: [
        {
          steps: [
            { request: 'POST /pets', keep: { key: "$.pet['pet-id']" } },
            { request: 'GET /pets/:[key]', response: { bodyIncludes: { name: 'text' } } },
          ],
        },
        { request: 'GET /pets/1', response: { statuscode: 404 } },
      ],
    });
  });

  test.each<[what: string, paths: object]>([
    [
      'a cookie that is required',
      {
        '/pets': {
          get: { ...ok(list(model('Pet'))), parameters: [{ ...query('c', text, true), in: 'cookie' }] },
        },
      },
    ],
    [
      'a text that cannot be made up',
      { '/pets': { post: { ...made, ...sent(object({ name: { ...text, pattern: '^x' } }, 'name')) } } },
    ],
  ])('are not written with %s', (_, paths) => {
    expect(written(paths).tests).toBeUndefined();
  });

  test('a value of any type is a text', () => {
    const parameter = { name: 'q', in: 'query', required: true, content: { 'text/plain': {} } };
    const { tests } = written({ '/find/{what}': { get: { ...done, parameters: [parameter] } } });
    expect(parse(tests ?? '')).toMatchObject({
      tests: [{ request: 'GET /find/text', query: { q: 'text' } }],
    });
  });
});

describe('after a check', () => {
  const paths = { '/pets': { get: ok(list(model('Pet'))) }, ...petOf(read) };

  test('what fails is a placeholder, and what fails even then is a comment', () => {
    const remedies = new Map<string, Remedy>([
      ['GET /pets', { isPlaceholder: true }],
      ['GET /pets/{petId}', { leftOut: 'it is wrong' }],
    ]);
    const { config, lines, placeholders } = written(paths, 'postgresql', remedies);
    expect(config).toContain('  # GET /pets/{petId} is left out: it is wrong\n\n');
    expect([[...lines.keys()], placeholders]).toEqual([['GET /pets'], 1]);
  });
});
