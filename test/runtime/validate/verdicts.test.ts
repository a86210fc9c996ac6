/** Verdicts of the generated validators that intentionally differ from ajv's, keywords of OpenAPI 3.0, and bodies crafted to be slow. */
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../../runtime/handler/parse-json.js';
import { checkBody, describeBodies, errorOf, generatedInputs } from './generated-api.js';

const fine = undefined;

describe('numbers', () => {
  test.each([
    [{ type: 'number', multipleOf: 0.1 }, '0.3', true],
    [{ type: 'number', multipleOf: 0.01 }, '4.35', true],
    [{ type: 'number', multipleOf: 0.1 }, '0.35', false],
    [{ type: 'integer', multipleOf: 3 }, '1e21', false],
    [{ type: 'integer', multipleOf: 10 }, '90071992547409930', true],
    [{ type: 'number', multipleOf: 7 }, '1e400', false],
    [{ type: 'number', multipleOf: 2 }, '1e400', true],
    [{ type: 'number', multipleOf: 2 }, '-1e-400', false],
    [{ type: 'number', multipleOf: 1e-7 }, '0.0000003', true],
    [{ type: 'integer' }, '9007199254740993', true],
    [{ type: 'integer' }, '"9007199254740992"', false],
    [{ type: 'integer' }, '"12"', false],
    [{ type: 'integer' }, '5.0', true],
    [{ type: 'integer', maximum: '9007199254740992' }, '9007199254740993', false],
    [{ type: 'integer', maximum: '9007199254740993' }, '9007199254740993', true],
    [{ type: 'integer', format: 'int64' }, '9223372036854775807', true],
    [{ type: 'integer', format: 'int64' }, '9223372036854775808', false],
    [{ type: 'integer', format: 'int32' }, '-2147483648', true],
    [{ type: 'integer', format: 'int32' }, '2147483648', false],
  ])('%j: %s', async (schema, text, fits) => {
    expect((await checkBody(schema, parseJson(text))) === undefined).toBe(fits);
  });
});

describe('formats', () => {
  test.each([
    ['email', 'a@b', true],
    ['email', 'a b@c.de', false],
    ['uri', 'https://example.com/ä', true],
    ['uri', '/relative', false],
    ['date', '2024-02-29', true],
    ['date', '2023-02-29', false],
    ['date-time', '2026-01-31T23:59:60Z', true],
    ['date-time', '2026-01-31T23:58:60Z', false],
    ['date-time', '2026-02-01T01:59:60+02:00', true],
    ['date-time', '2026-01-31T21:59:60-02:00', true],
    ['date-time', '2026-01-31T23:59:60-02:00', false],
    ['date-time', '2026-01-31T24:00:00Z', false],
    ['date-time', '2026-01-31T10:00:00+24:00', false],
    ['date-time', '2026-13-31T10:00:00Z', false],
    ['date', '2026-04-31', false],
    ['date', '2026-01-00', false],
    ['time', '10:00:00Z', true],
    ['time', '10:00:00', false],
    ['time', '25:00:00Z', false],
    ['date-time', '2026-01-31T10:00:00', false],
    ['date-time', '2026-01-31t10:00:00.123+05:30', true],
    ['uuid', 'B3A1B1F0-0000-4000-8000-000000000000', true],
    ['ipv6', 'fe80::1%eth0', false],
    ['made-up', 'anything', true],
  ])('%s: %s', async (format, value, fits) => {
    expect((await checkBody({ type: 'string', format }, value)) === undefined).toBe(fits);
  });
});

test('a property that any part of an allOf calls read only need not be there', async () => {
  const id = { type: 'integer', readOnly: true };
  const fields = { type: 'object', properties: { name: { type: 'string' } } };
  const check = (schema: object) => checkBody(schema, { name: 'a' });
  expect(
    await check({ allOf: [fields, { type: 'object', properties: { id } }], required: ['id', 'name'] }),
  ).toBe(fine);
  expect(await check({ allOf: [fields, { properties: { id } }, { required: ['id'] }] })).toBe(fine);
  expect(await check({ ...fields, allOf: [{ allOf: [{ properties: { id } }] }], required: ['id'] })).toBe(
    fine,
  );
  expect(
    await check({ allOf: [fields, { properties: { id: { type: 'integer' } } }], required: ['id'] }),
  ).toBe('The request is not valid: body.id is missing');
});

describe('OpenAPI 3.0', () => {
  const check = (schema: unknown, body: null | number | string) =>
    checkBody(schema, body, { Name: { type: 'string', minLength: 2 } }, '3.0.3');

  test('nullable, with a type, an enum, a reference or parts', async () => {
    expect(await check({ type: 'string', nullable: true }, null)).toBe(fine);
    expect(await check({ type: 'string', enum: ['a'], nullable: true }, null)).toBe(fine);
    expect(await check({ $ref: '#/components/schemas/Name', nullable: true }, null)).toBe(fine);
    expect(await check({ allOf: [{ $ref: '#/components/schemas/Name' }], nullable: true }, null)).toBe(fine);
    expect(await check({ allOf: [{ $ref: '#/components/schemas/Name' }], nullable: true }, 'a')).toContain(
      '2',
    );
    expect(await check({ type: 'string' }, null)).toContain('must be a string, not null');
  });

  test('exclusive bounds as true and false', async () => {
    expect(await check({ type: 'number', minimum: 0, exclusiveMinimum: true }, 0)).toContain(
      'greater than 0',
    );
    expect(await check({ type: 'number', minimum: 0, exclusiveMinimum: false }, 0)).toBe(fine);
    expect(await check({ type: 'number', exclusiveMinimum: true }, 0)).toBe(fine);
  });
});

test('properties that are called __proto__ or constructor', async () => {
  const schema = parseJson(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"integer"}},"required":["__proto__"],"additionalProperties":false}',
  );
  expect(await checkBody(schema, parseJson('{"__proto__":"a","constructor":1}'))).toBe(fine);
  expect(await checkBody(schema, parseJson('{"__proto__":1}'))).toContain(
    'body.__proto__ must be a string, not 1',
  );
  expect(await checkBody(schema, {})).toContain('body.__proto__ is missing');
});

describe('messages of enums and alternatives', () => {
  const not = (problem: string): string => `The request is not valid: body ${problem}`;
  const card = { type: 'object', properties: { kind: { const: 'card' } } };

  test.each([
    [{ enum: [{ a: 1 }] }, { a: 2 }, 'must be {"a":1}, not another object'],
    [{ enum: [{ a: 1 }, [2], 'x'] }, [3], 'must be one of {"a":1}, [2], "x", not another array'],
    [{ enum: [{ a: 1 }] }, 'a', 'must be {"a":1}, not "a"'],
    [{ enum: ['x'] }, {}, 'must be "x", not an object'],
    [{ enum: [{ a: 'b'.repeat(500) }] }, {}, `must be {"a":"${'b'.repeat(74)}…, not another object`],
    [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }, true, 'must be a string or an integer, not true'],
    [
      { anyOf: [{ type: 'array' }, { type: ['integer', 'null'] }] },
      'a',
      'must be an array, an integer or null, not "a"',
    ],
    [{ oneOf: [card, { type: 'string', minLength: 2 }] }, 7, 'must be an object or a string, not 7'],
    // The values have the right kind, but no alternative is selected.
    [{ oneOf: [card, card] }, { kind: 'cash' }, 'matches none of its 2 alternatives'],
    [
      {
        oneOf: [
          { type: 'string', minLength: 3 },
          { type: 'string', pattern: '^a' },
        ],
      },
      'b',
      'matches none of its 2 alternatives',
    ],
  ])('%j: %j', async (schema, body, problem) => {
    expect(await checkBody(schema, body)).toBe(not(problem));
  });
});

describe('bodies made to be slow', () => {
  const models = {
    Body: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
    // Both alternatives validate the same child: a naive validator takes twice as long for each level.
    Node: {
      anyOf: [
        { type: 'object', properties: { child: { $ref: '#/components/schemas/Node' } }, required: ['a'] },
        { type: 'object', properties: { child: { $ref: '#/components/schemas/Node' } }, required: ['b'] },
      ],
    },
    Both: {
      allOf: [
        { type: 'object', properties: { child: { $ref: '#/components/schemas/Both' } } },
        { type: 'object', properties: { child: { $ref: '#/components/schemas/Both' } }, required: ['c'] },
      ],
    },
    Unique: { type: 'array', uniqueItems: true, items: {} },
    Numbers: { type: 'array', items: { type: 'integer', multipleOf: 7, maximum: 3 } },
    Short: { type: 'string', maxLength: 5, pattern: '^(a+)+$' },
    Closed: { type: 'object', additionalProperties: false },
  };
  const inputs = generatedInputs(describeBodies(models));

  /** The error, and the processor time spent to find it, in milliseconds. */
  async function timed(model: keyof typeof models, text: string): Promise<{ fault: string; time: number }> {
    const input = (await inputs).get(`POST /${model}`);
    const body = parseJson(text);
    const before = process.cpuUsage();
    const fault = errorOf(input, { body }) ?? '';
    const { user, system } = process.cpuUsage(before);
    return { fault, time: (user + system) / 1000 };
  }

  const nested = `${'{"child":'.repeat(60)}{}${'}'.repeat(60)}`;

  test.each([
    ['Body', `[${nested}]`, 'matches none of its 2 alternatives'],
    ['Both', nested, 'and 41 more'],
    [
      'Unique',
      `[${Array.from({ length: 100_000 }, (_, index) => index % 90_000).join()}]`,
      'and at least 980 more',
    ],
    ['Unique', `[${'{"a":[1,2,3]},'.repeat(50_000)}1]`, 'and at least 980 more'],
    ['Numbers', `[${'5,'.repeat(250_000)}5]`, 'and at least 980 more'],
    [
      'Numbers',
      `[${'9'.repeat(900_000)}]`,
      'must be at most 3, not 9999999999999999999999999999999999999999…',
    ],
    ['Short', `"${'a'.repeat(500_000)}!"`, 'must have at most 5 characters'],
    [
      'Closed',
      `{${Array.from({ length: 50_000 }, (_, index) => `"k${index}":1`).join()}}`,
      'and at least 980 more',
    ],
    [
      'Closed',
      `{"${'k'.repeat(500_000)}":1}`,
      'body["kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk…"] is not allowed',
    ],
  ] as const)('%s', async (model, text, expected) => {
    const { fault, time } = await timed(model, text);
    expect(fault).toContain(expected);
    expect(fault.length).toBeLessThan(4000);
    expect(time).toBeLessThan(5000);
  });
});
