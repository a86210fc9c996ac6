/** Random models, mappings and joins, compiled and run on random results: the outcome equals that of nested loops. */
import fc from 'fast-check';
import { plan } from '../../compiler/generate/plan/plan.js';
import { describe, expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { emitHandler } from '../../compiler/generate/emit/handler.js';
import type { Json, Row } from '../../runtime/handler/json.js';
import { AmbiguousJoin, NestedLoops, type PlainJoin, type PlainModel, type Results } from './nested-loops.js';
import { outcomesOf } from './outcomes.js';
import { configOf, descriptionOf, modelsIn, textOf, type WrittenJoin } from './plain-config.js';
import { handlerOf } from './run-handler.js';

const names = ['a', 'b', 'c', 'd', 'e'];
/** Fulfillments that may be skipped, so that their results can be null. */
const skipped = ['b', 'd'];
const columns = ['x', 'y', 'z'];
const anyName = fc.constantFrom(...names);
const anyColumn = fc.constantFrom(...columns);

/** A join between any two fulfillments, in either order, written at either of them. */
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

const field = fc.record({ of: anyName, field: anyColumn, notNull: fc.boolean() });

/** Models nested up to `levels` deep. */
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

const key = fc.constantFrom<Json>(null, 1, '1', '1.0', 2, '2', true, 'true', 'a', 'b');
const row = fc.record({ x: key, y: key, z: key }) as fc.Arbitrary<Row>;
const rows = fc.array(row, { maxLength: 5, size: 'max' }).map((list) => list.map((one): Row => ({ ...one })));
const results = fc.record(
  Object.fromEntries(
    names.map((name) => [name, skipped.includes(name) ? fc.option(rows, { freq: 8 }) : rows]),
  ),
) as fc.Arbitrary<Results>;

/** Every fulfillment has one row, and all rows match, so every object is built. */
function alike(joined: readonly PlainJoin[]): NestedLoops {
  const one = Object.fromEntries(columns.map((name) => [name, 1]));
  return new NestedLoops(joined, Object.fromEntries(names.map((name) => [name, [one]])));
}

/** A random rewriting of the joins: reordered, some with swapped sides, some written at the other fulfillment. */
const rewriting = fc.record({
  keys: fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
  turned: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
  moved: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
});

function rewritten(
  joins: readonly WrittenJoin[],
  { keys, turned, moved }: { keys: readonly number[]; turned: readonly boolean[]; moved: readonly boolean[] },
): WrittenJoin[] {
  return joins
    .map((join, n) => ({ join, n, key: keys[n] ?? 0 }))
    .sort((a, b) => a.key - b.key)
    .map(({ join: { left, leftField, right, rightField, isAtLeft }, n }) => ({
      ...(turned[n] === true
        ? { left: right, leftField: rightField, right: left, rightField: leftField }
        : { left, leftField, right, rightField }),
      isAtLeft: (moved[n] === true) !== ((turned[n] === true) !== isAtLeft),
    }));
}

/** The number of configurations; set RANDOM_MAPPINGS for more. */
const numRuns = Number(process.env.RANDOM_MAPPINGS ?? 150);

test('neither other writings of joins nor the removal of unused ones changes anything', () => {
  fc.assert(
    fc.property(models(3), fc.boolean(), joins, rewriting, (any, isList, joined, other) => {
      const whole = named(any, 'M');
      const [first, second] = outcomesOf(whole, isList, names, [joined, rewritten(joined, other)]);
      expect(second?.diagnostics).toEqual(first?.diagnostics);
      expect(second?.code).toBe(first?.code);
      if (first === undefined || first.unused.length === 0) return;
      const used = joined.filter((join) => !first.unused.includes(textOf(join)));
      const [left] = outcomesOf(whole, isList, names, [used]);
      expect(left?.code).toBe(first.code);
    }),
    { numRuns, endOnFailure: true },
  );
}, 600_000);

test('a join that a warning shows is what is missing', () => {
  let shown = 0;
  fc.assert(
    fc.property(models(2), joins, (any, joined) => {
      const whole = named(any, 'M');
      const [first] = outcomesOf(whole, true, names, [joined]);
      for (const diagnostic of first?.diagnostics ?? []) {
        const [, left, leftField, right, rightField] =
          / (?:'join' of '\w+'|join): (\w+)\.(\w+) == (\w+)\.(\w+)$/.exec(diagnostic) ?? [];
        if (!diagnostic.startsWith('warning join-missing') || diagnostic.includes('For example')) continue;
        if (left === undefined || leftField === undefined || right === undefined || rightField === undefined)
          throw new Error(diagnostic);
        const more = [...joined, { left, leftField, right, rightField, isAtLeft: true }];
        const [second] = outcomesOf(whole, true, names, [more]);
        expect(second?.diagnostics).not.toContain(diagnostic);
        shown += 1;
      }
    }),
    { numRuns: 2 * numRuns, endOnFailure: true },
  );
  // About one in twelve suggests a join.
  expect(shown).toBeGreaterThan(numRuns / 50);
}, 600_000);

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
          const text = configOf(whole, [{ path: '/', names, skipped, joins: joined }]);
          const config = { path: 'config.yaml', text };
          const description = descriptionOf(whole, isList, ['/']);
          const { service, diagnostics } = checkSource({ config, description });
          const errors = diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code);
          if (service === undefined) {
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
          const planned = plan(service);
          const [operation] = planned.operations;
          const code = operation === undefined ? '' : emitHandler(operation, planned).text;
          const handle = handlerOf(code, 'getRoot');
          for (const given of data) {
            const { body } = await handle(given);
            expect(body, code).toEqual(new NestedLoops(joined, given).build(whole, isList));
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
