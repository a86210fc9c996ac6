/** `discriminator`: a property selects the alternative for the validation of a body. */
import { describe, expect, test } from 'vitest';
import { compile } from '../../../compiler/compile.js';
import { Report } from '../../../compiler/read/diagnostics/report.js';
import { readDescription } from '../../../compiler/read/openapi/read-description.js';
import { checkBody, describeBodies, errorOf, generatedInputs } from './generated-api.js';
import { Texts } from '../../../runtime/http/texts.js';
import { assets } from '../../emit/compile-text.js';

const models = {
  Cat: {
    type: 'object',
    required: ['kind'],
    properties: { kind: { type: 'string' }, lives: { type: 'integer' } },
  },
  Dog: {
    type: 'object',
    required: ['kind', 'bark'],
    properties: {
      kind: { type: 'string' },
      bark: { type: 'boolean' },
      puppy: { $ref: '#/components/schemas/Pet' },
    },
  },
  Pet: {
    oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
    discriminator: {
      propertyName: 'kind',
      mapping: { cat: '#/components/schemas/Cat', tom: 'Cat', dog: '#/components/schemas/Dog' },
    },
  },
};
const pet = { $ref: '#/components/schemas/Pet' };
const said = (problem: string): string => `The request is not valid: ${problem}`;

describe('the value of the property', () => {
  test.each<[body: unknown, problem: string | undefined]>([
    [{ kind: 'dog', bark: true }, undefined],
    [{ kind: 'cat', lives: 9 }, undefined],
    [{ kind: 'tom', lives: 9 }, undefined],
    [{ kind: 'dog' }, 'body.bark is missing'],
    [{ kind: 'dog', bark: 'wuff' }, 'body.bark must be true or false, not "wuff"'],
    [{ kind: 'cat', bark: 'wuff' }, undefined],
    [
      { kind: 'dog', bark: true, puppy: { kind: 'cat', lives: 'x' } },
      'body.puppy.lives must be an integer, not "x"',
    ],
    [{ kind: 'bird' }, 'body.kind must be one of "cat", "tom", "dog", not "bird"'],
    [{ kind: 'Dog', bark: true }, 'body.kind must be one of "cat", "tom", "dog", not "Dog"'],
    [{ kind: 'constructor' }, 'body.kind must be one of "cat", "tom", "dog", not "constructor"'],
    [{ kind: ['dog'], bark: true }, 'body.kind must be one of "cat", "tom", "dog", not an array'],
    [{ kind: null }, 'body.kind must be one of "cat", "tom", "dog", not null'],
    [{ bark: true }, 'body.kind is missing'],
    ['dog', 'body must be an object, not "dog"'],
    [[], 'body must be an object, not an array'],
    [null, 'body must be an object, not null'],
  ])('%j', async (body, problem) => {
    expect(await checkBody(pet, body as never, models)).toBe(
      problem === undefined ? undefined : said(problem),
    );
  });
});

describe('alternatives are named', () => {
  const check = (schema: object, body: object): Promise<string | undefined> =>
    checkBody(schema, body as never, models);
  const kind = (...words: readonly string[]): object => ({
    type: 'object',
    properties: { kind: { enum: words }, n: { type: 'integer' } },
    additionalProperties: false,
  });

  test('by their schemas where nothing else names them, under anyOf too', async () => {
    for (const keyword of ['oneOf', 'anyOf']) {
      const schema = { [keyword]: models.Pet.oneOf, discriminator: { propertyName: 'kind' } };
      expect(await check(schema, { kind: 'Cat' })).toBeUndefined();
      expect(await check(schema, { kind: 'Dog' })).toBe(said('body.bark is missing'));
      expect(await check(schema, { kind: 'dog' })).toBe(
        said('body.kind must be one of "Cat", "Dog", not "dog"'),
      );
    }
  });

  test('by a name that a reference encodes', async () => {
    const schema = {
      oneOf: [{ $ref: '#/components/schemas/Small%20dog' }, { $ref: '#/components/schemas/Cat' }],
      discriminator: { propertyName: 'kind' },
    };
    const own = { 'Small dog': { type: 'object' }, Cat: { type: 'object' } };
    for (const kind of Object.keys(own)) expect(await checkBody(schema, { kind }, own)).toBeUndefined();
    expect(await checkBody(schema, { kind: 'Small%20dog' }, own)).toBe(
      said('body.kind must be one of "Small dog", "Cat", not "Small%20dog"'),
    );
  });

  test('by the values that they list for the property', async () => {
    const schema = { oneOf: [kind('a', 'b'), kind('c')], discriminator: { propertyName: 'kind' } };
    expect(await check(schema, { kind: 'b', n: 1 })).toBeUndefined();
    expect(await check(schema, { kind: 'c', n: 'x' })).toBe(said('body.n must be an integer, not "x"'));
    expect(await check(schema, { kind: 'd' })).toBe(said('body.kind must be one of "a", "b", "c", not "d"'));
  });

  test('also where a schema has another name than its only value', async () => {
    const described = {
      oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }],
      discriminator: { propertyName: 'kind' },
    };
    const own = { A: kind('a'), B: { allOf: [kind('b')] } };
    expect(await checkBody(described, { kind: 'b', n: 1 }, own)).toBeUndefined();
    expect(await checkBody(described, { kind: 'B' }, own)).toBe(
      said('body.kind must be one of "a", "b", not "B"'),
    );
  });

  test('and null is one of them', async () => {
    const schema = {
      oneOf: [...models.Pet.oneOf, { type: 'null' }],
      discriminator: { propertyName: 'kind' },
    };
    expect(await checkBody(schema, null, models)).toBeUndefined();
    expect(await check(schema, { kind: 'Dog' })).toBe(said('body.bark is missing'));
  });
});

test('the property of a parameter with brackets chooses how its strings are read', async () => {
  const { Body, ...others } = { Body: pet, ...models };
  const description = describeBodies({ Body, ...others }) as { paths: Record<string, unknown> };
  description.paths['/q'] = {
    get: {
      parameters: [{ name: 'pet', in: 'query', style: 'deepObject', schema: pet }],
      responses: { 200: { description: 'ok' } },
    },
  };
  const input = (await generatedInputs(description)).get('GET /q');
  const query = (pairs: Readonly<Record<string, string>>): Texts => {
    const texts = new Texts();
    for (const [name, text] of Object.entries(pairs)) texts.add(name, text);
    texts.findBrackets();
    return texts;
  };
  expect(errorOf(input, { query: query({ 'pet[kind]': 'dog', 'pet[bark]': 'true' }) })).toBeUndefined();
  expect(errorOf(input, { query: query({ 'pet[kind]': 'cat', 'pet[lives]': '9' }) })).toBeUndefined();
  expect(errorOf(input, { query: query({ 'pet[kind]': 'cow' }) })).toContain(
    'must be one of "cat", "tom", "dog"',
  );
});

/** The diagnostics for a description with these schemas: the code, and the quoted part of the message or the whole message. */
function reported(schemas: object): string[] {
  const report = new Report();
  const description = describeBodies({ ...models, ...schemas });
  const source = { path: 'openapi.json', text: JSON.stringify(description) };
  readDescription({ source, read: () => undefined }, report);
  return report.diagnostics.map(({ code, message }) => `${code}: ${message}`);
}

test.each<[schema: object, problem: string]>([
  [{ type: 'object', discriminator: { propertyName: 'kind' } }, "it needs 'oneOf' or 'anyOf' next to it"],
  [{ ...models.Pet, discriminator: 'kind' }, "it needs 'propertyName', the name of a property"],
  [
    { ...models.Pet, discriminator: { propertyName: 'kind', mapping: { cow: 'Cow' } } },
    "there is no schema 'Cow'",
  ],
  [
    { ...models.Pet, discriminator: { propertyName: 'kind', mapping: { pet: '#/components/schemas/Pet' } } },
    "'#/components/schemas/Pet' is not one of 'oneOf'",
  ],
  [
    { oneOf: [{ type: 'object' }, models.Pet.oneOf[0]], discriminator: { propertyName: 'kind' } },
    "no value of 'kind' is known to mean alternative 1 of 'oneOf'",
  ],
  [
    {
      oneOf: [models.Pet.oneOf[0], { properties: { kind: { const: 'Cat' } } }],
      discriminator: { propertyName: 'kind' },
    },
    "two alternatives have the value 'Cat' of 'kind'",
  ],
])('%j has no use for it, and says so', (Own, problem) => {
  expect(reported({ Own })).toEqual([
    `schema-keyword: 'discriminator' of this schema has no effect: ${problem}.`,
  ]);
});

test('without a use the alternatives decide', async () => {
  const schema = { ...models.Pet, discriminator: { propertyName: 'kind', mapping: { cow: 'Cow' } } };
  expect(await checkBody(schema, { kind: 'cow' }, models)).toBeUndefined();
});

test('a mapping that leads nowhere is a broken reference', () => {
  const mapping = { cow: '#/components/schemas/Cow' };
  const Own = { ...models.Pet, discriminator: { propertyName: 'kind', mapping } };
  expect(reported({ Own })).toEqual([expect.stringMatching(/^broken-reference: /)]);
});

test('only services whose descriptions have one import its code', async () => {
  const config = `specification: "1.0"
operations:
  POST /Pet:
    fulfillments: [{ name: one, type: READ, datasource: db, instructions: [{ query: SELECT 1 AS n }] }]
    responses: [{ name: ok, default: true, statuscode: 200, schema: { n: 'VALUE(one, $.n)', kind: BODY($.kind) } }]
datasources: { db: { type: db, url: 'jdbc:postgresql://localhost/a' } }
`;
  const filesFor = async (Pet: object): Promise<readonly string[]> => {
    const text = JSON.stringify(describeBodies({ ...models, Pet }));
    const source = { path: 'openapi.json', text };
    const input = {
      config: { path: 'config.yaml', text: config },
      description: { source, read: () => undefined },
    };
    const { files = [], diagnostics } = await compile(input, assets);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    const importing = files.filter(({ text }) => /^import \{[^}]*\bdiscriminated\b/m.test(text));
    return importing.map(({ path }) => path);
  };
  expect(await filesFor(models.Pet)).toEqual(['src/api.ts']);
  expect(await filesFor({ oneOf: models.Pet.oneOf })).toEqual([]);
});
