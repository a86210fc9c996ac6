/** Deeply nested API descriptions: long chains of references, and nested models. */
import { expect, test } from 'vitest';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { readDescription } from '../../compiler/read/openapi/read-description.js';
import type { ApiSchema } from '../../compiler/read/openapi/api-model.js';

/** The models M0, M1, … of a description, each of which refers to the next. */
function modelsOf(count: number, leading: (reference: object) => object): ReadonlyMap<string, ApiSchema> {
  const schemas = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `M${index}`,
      index === count - 1 ? { type: 'object' } : leading({ $ref: `#/components/schemas/M${index + 1}` }),
    ]),
  );
  const text = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 't', version: '1' },
    paths: {},
    components: { schemas },
  });
  const report = new Report();
  const source = { path: 'openapi.json', text };
  const description = readDescription({ source, read: () => undefined }, report);
  expect(report.diagnostics).toEqual([]);
  return description?.models ?? new Map<string, ApiSchema>();
}

// Following the chain from each of the models again would take minutes.
test('a chain of 20,000 references is one model', () => {
  const models = modelsOf(20_000, (reference) => reference);
  expect(models.size).toBe(20_000);
  expect(models.get('M0')).toBe(models.get('M19999'));
});

test('5,000 models one inside the other, in properties and in parts of an allOf', () => {
  for (const leading of [
    (next: object) => ({ properties: { next } }),
    (next: object) => ({ allOf: [next, { type: 'object' }] }),
  ]) {
    const models = modelsOf(5000, leading);
    const first = models.get('M0');
    expect(first?.properties.get('next') ?? first?.allOf[0]).toBe(models.get('M1'));
    const last = models.get('M4998');
    expect(last?.properties.get('next') ?? last?.allOf[0]).toBe(models.get('M4999'));
  }
});
