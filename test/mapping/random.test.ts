/** Random models, mappings and joins, compiled and run on random results: the same as nested loops. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { emitHandler } from '../../compiler/emit/handler.js';
import type { DescriptionInput } from '../../compiler/openapi/documents.js';
import type { Json, Row } from '../../runtime/handler/json.js';
import { AmbiguousJoin, NestedLoops, type PlainJoin, type PlainModel, type Results } from './nested-loops.js';
import { handlerOf } from './run-handler.js';
import { moduleText } from '../helpers/module-text.js';

const names = ['a', 'b', 'c', 'd', 'e'];
/** Those that may be skipped: their results are null at times. */
const skipped = ['b', 'd'];
const columns = ['x', 'y', 'z'];
const anyName = fc.constantFrom(...names);
const anyColumn = fc.constantFrom(...columns);

/** Between any two, written in any direction at either of the two. */
const join = fc
  .record({
    left: anyName,
    right: anyName,
    leftField: anyColumn,
    rightField: anyColumn,
    isAtLeft: fc.boolean(),
  })
  .filter(({ left, right }) => left !== right);
const joins = fc.array(join, { maxLength: 6, size: 'max' });

interface WrittenJoin extends PlainJoin {
  readonly isAtLeft: boolean;
}

const field = fc.record({ of: anyName, field: anyColumn, notNull: fc.boolean() });

/** Models in models, so many levels below. */
function models(levels: number): fc.Arbitrary<PlainModel> {
  const inner: fc.Arbitrary<{ isList: boolean; model: PlainModel }[]> =
    levels === 0
      ? fc.constant([])
      : fc.array(fc.record({ isList: fc.boolean(), model: models(levels - 1) }), {
          maxLength: 2,
          size: 'max',
        });
  return fc
    .record({
      fields: fc.array(field, { minLength: 1, maxLength: 3, size: 'max' }),
      counts: fc.array(anyName, { maxLength: 1 }),
      inner,
    })
    .map(({ fields, counts, inner }) => ({
      name: '',
      fields: fields.map((one, n) => ({ key: `f${n}`, ...one })),
      counts: counts.map((of, n) => ({ key: `n${n}`, of })),
      inner: inner.map((one, n) => ({ key: `m${n}`, ...one })),
    }));
}

function named(model: PlainModel, name: string): PlainModel {
  return {
    ...model,
    name,
    inner: model.inner.map((one, n) => ({ ...one, model: named(one.model, `${name}${n}`) })),
  };
}

function modelsIn(model: PlainModel): PlainModel[] {
  return [model, ...model.inner.flatMap((one) => modelsIn(one.model))];
}

function reference(name: string, isList: boolean): object {
  const $ref = `#/components/schemas/${name}`;
  return isList ? { type: 'array', items: { $ref } } : { $ref };
}

function descriptionOf(model: PlainModel, isList: boolean): object {
  const schemas = modelsIn(model).map(({ name, fields, counts, inner }) => {
    const own = [
      ...fields.map(({ key, notNull }): [string, object] => [key, notNull ? { type: 'string' } : {}]),
      ...counts.map(({ key }): [string, object] => [key, {}]),
    ];
    const models = inner.map((one): [string, object] => [one.key, reference(one.model.name, one.isList)]);
    return [name, { type: 'object', properties: Object.fromEntries([...own, ...models]) }];
  });
  const content = { 'application/json': { schema: reference(model.name, isList) } };
  return {
    openapi: '3.1.0',
    info: { title: 'random', version: '1' },
    paths: { '/': { get: { responses: { 200: { description: 'ok', content } } } } },
    components: { schemas: Object.fromEntries(schemas) as object },
  };
}

function describedBy(description: object): DescriptionInput {
  return {
    source: { path: 'openapi.json', text: JSON.stringify(description) },
    read: () => undefined,
  };
}

function configOf(model: PlainModel, joins: readonly WrittenJoin[]): object {
  const mappings = modelsIn(model).map(({ name, fields, counts }): [string, object] => [
    name,
    Object.fromEntries([
      ...fields.map(({ key, of, field }) => [key, `${of}.${field}`]),
      ...counts.map(({ key, of }) => [key, `${of}.size()`]),
    ]) as object,
  ]);
  return {
    specification: '1.0',
    operations: {
      'GET /': {
        fulfillments: names.map((name) => ({
          name,
          type: 'READ',
          datasource: 'db',
          ...(skipped.includes(name) ? { if: 'param.skip == null' } : {}),
          queries: [{ query: 'SELECT * FROM t' }],
          join: joins
            .filter(({ left, right, isAtLeft }) => (isAtLeft ? left : right) === name)
            .map(
              ({ left, leftField, right, rightField }) => `${left}.${leftField} == ${right}.${rightField}`,
            ),
        })),
        responses: [{ name: 'ok', default: true, statuscode: 200 }],
        mappings: Object.fromEntries(mappings) as object,
      },
    },
    datasources: { db: { type: 'db', url: 'jdbc:postgresql://localhost/db' } },
  };
}

const key = fc.constantFrom<Json>(null, 1, '1', '1.0', 2, '2', true, 'true', 'a', 'b');
const row = fc.record({ x: key, y: key, z: key }) as fc.Arbitrary<Row>;
const rows = fc.array(row, { maxLength: 5, size: 'max' }).map((list) => list.map((one): Row => ({ ...one })));
const results = fc.record(
  Object.fromEntries(
    names.map((name) => [name, skipped.includes(name) ? fc.option(rows, { freq: 8 }) : rows]),
  ),
) as fc.Arbitrary<Results>;

/** Every fulfillment has one row, and all of them match: so every object is built. */
function alike(joined: readonly PlainJoin[]): NestedLoops {
  const one = Object.fromEntries(columns.map((name) => [name, 1]));
  return new NestedLoops(joined, Object.fromEntries(names.map((name) => [name, [one]])));
}

/** How many configurations: more by hand with RANDOM_MAPPINGS. */
const numRuns = Number(process.env.RANDOM_MAPPINGS ?? 150);

describe('a compiled mapping returns what nested loops return', () => {
  test('for random models, joins and results', async () => {
    let [compiled, compared, refused, nested] = [0, 0, 0, 0];
    await fc.assert(
      fc.asyncProperty(
        models(3),
        fc.boolean(),
        joins,
        fc.array(results, { minLength: 20, maxLength: 20 }),
        async (any, isList, joined, data) => {
          const whole = named(any, 'M');
          const config = { path: 'config.yaml', text: JSON.stringify(configOf(whole, joined)) };
          const description = describedBy(descriptionOf(whole, isList));
          const { sound, diagnostics } = checkSource({ config, description });
          const errors = diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code);
          if (sound === undefined) {
            expect(new Set(errors)).toEqual(new Set(['ambiguous-join']));
            expect(() => alike(joined).build(whole, isList)).toThrow(AmbiguousJoin);
            refused += 1;
            return;
          }
          compiled += 1;
          const plain = alike(joined);
          plain.build(whole, isList);
          const warned = diagnostics.filter(({ code }) => code === 'join-missing');
          expect(warned.length > 0).toBe(plain.everywhere.size > 0);
          if (modelsIn(whole).length > 2 && joined.length > 1) nested += 1;
          const [operation] = sound.plan.operations;
          const text = operation === undefined ? '' : await moduleText(emitHandler(operation, sound.plan));
          const handle = handlerOf(text, 'getRoot');
          for (const given of data) {
            const { body } = await handle(given);
            expect(body, text).toEqual(new NestedLoops(joined, given).build(whole, isList));
            compared += 1;
          }
        },
      ),
      { numRuns, endOnFailure: true },
    );
    expect({ compiled, compared, refused, nested }).toEqual({
      compiled: expect.any(Number) as number,
      compared: compiled * 20,
      refused: numRuns - compiled,
      nested: expect.any(Number) as number,
    });
    expect(compiled).toBeGreaterThan(numRuns / 2);
    expect(nested).toBeGreaterThan(numRuns / 8);
  }, 600_000);
});
