/** Well-known public descriptions, from a package in the npm registry, are read without false errors. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { emitApi } from '../../compiler/generate/emit/service/api-module.js';
import { formatTypeScript } from '../../compiler/generate/emit/module/format.js';
import { readDescription } from '../../compiler/read/openapi/read-description.js';
import { planApi } from '../../compiler/generate/plan/api-plan.js';
import { repository } from '../helpers/service-fixture.js';

const folder = join(repository, 'node_modules/@readme/oas-examples');
const files = ['3.0', '3.1'].flatMap((version) =>
  ['json', 'yaml'].flatMap((format) =>
    readdirSync(join(folder, version, format))
      .filter((name) => name.endsWith(`.${format}`))
      .map((name) => `${version}/${format}/${name}`),
  ),
);

function read(path: string) {
  const report = new Report();
  const source = { path, text: readFileSync(join(folder, path), 'utf8') };
  return { description: readDescription({ source, read: () => undefined }, report), report };
}

test.each(files)('%s', (path) => {
  const { description, report } = read(path);
  expect(report.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(description?.endpoints).toBeDefined();
});

describe.each([
  ['3.0/json/petstore.json', 20, 6],
  ['3.0/yaml/star-trek.yaml', 120, 222],
  ['3.1/json/readme.json', 54, 0],
  ['3.1/yaml/train-travel.yaml', 7, 9],
])('%s', (path, endpoints, models) => {
  const { description } = read(path);

  test('has its endpoints and models', () => {
    expect(description?.endpoints.length).toBe(endpoints);
    expect(description?.models.size).toBe(models);
  });

  test('is validated by code that can be printed', async () => {
    if (description === undefined) throw new Error(`${path} was not read`);
    const operations = description.endpoints.map((described, index) => ({
      ...{ name: `${described.method} ${described.path}`, described },
      functionName: `operation${index}`,
    }));
    const plan = planApi(description, operations, []);
    const text = plan && (await formatTypeScript(emitApi(plan, 'config.yaml').text));
    expect(text).toMatch(/export const operation\d+Input = input\(\{/);
  });
});
