/** Strings in a request to a third-party API never become code: the same proof as for the rest of a configuration. */
import { describe, expect, test } from 'vitest';
import { Analysis } from '../../compiler/analyze/operations/analysis.js';
import { check } from '../../compiler/analyze/check/check-config.js';
import { readWithSql } from '../helpers/read-with-sql.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { everyOf } from '../helpers/runs.js';
import { buildServices } from '../helpers/service-build.js';
import { filesOf, textOf } from './compile-text.js';
import { hostileTexts } from './hostile.js';
import { shapeOf } from './shape.js';

const benign = {
  host: 'api.example.com',
  path: 'a',
  query: 'b',
  header: 'c',
  part: 'd',
  file: 'e',
  bodyKey: 'f',
  bodyText: 'g',
  fulfillment: 'h',
  baseHeader: 'i',
};
type Hole = keyof typeof benign;
const holes = Object.keys(benign) as Hole[];

function configOf(texts: Readonly<Record<Hole, string>>): object {
  const response = { name: 'ok', default: true, statuscode: 200 };
  const request = {
    url: `https://${texts.host}/${texts.path}/:[PARAM(p)]?q=${texts.query}:[PARAM(q)]`,
    httpType: 'POST',
    header: [`X-One: ${texts.header}:[PARAM(h)]`, `X-Two: z${texts.header}z`],
  };
  const multipart = { [texts.part]: `MULTIPART_FILE(${JSON.stringify(texts.file)})` };
  const body = {
    contentType: 'json',
    schema: { [texts.bodyKey]: `TEXT(${JSON.stringify(texts.bodyText)})` },
  };
  const fulfillment = (more: object): object => ({
    fulfillments: [
      {
        name: texts.fulfillment,
        type: 'UPDATE',
        datasource: 'api',
        instructions: [{ request: { ...request, ...more } }],
      },
    ],
    responses: [{ ...response, schema: `STATUS(${texts.fulfillment})` }],
  });
  return {
    specification: '1.0',
    operations: { 'POST /files': fulfillment({ multipart }), 'POST /bodies': fulfillment({ body }) },
    datasources: { api: { type: 'rest', header: [`X-Base: z${texts.baseHeader}z`] } },
  };
}

/** Text after a `#` is not sent, including placeholders: a different shape, on purpose. */
function endsUrl(hole: Hole, text: string): boolean {
  return (hole === 'path' || hole === 'query') && text.includes('#');
}

function isAccepted(config: object): boolean {
  const report = new Report();
  const read = readWithSql(JSON.stringify(config), report);
  if (read !== undefined) check(new Analysis(read, undefined, report.errors), report);
  return !report.hasErrors;
}

const modules = ['src/operations/post-files.ts', 'src/operations/post-bodies.ts', 'src/datasources.ts'];

async function shapes(config: object): Promise<string> {
  const files = await filesOf(config);
  return modules.map((path) => shapeOf(textOf(files, path))).join('\n');
}

describe('hostile texts in requests', () => {
  const accepted = hostileTexts.map((text) => {
    const fits = holes.filter(
      (hole) => !endsUrl(hole, text) && isAccepted(configOf({ ...benign, [hole]: text })),
    );
    return { ...benign, ...Object.fromEntries(fits.map((hole) => [hole, text])), fits };
  });

  const tried = accepted.filter((_, index) => index % everyOf(3) === 0);

  test('many are taken', () => {
    expect(accepted.flatMap(({ fits }) => fits).length).toBeGreaterThan(250);
    for (const hole of holes.filter((name) => name !== 'host'))
      expect(accepted.filter(({ fits }) => fits.includes(hole)).length, hole).toBeGreaterThan(5);
  });

  test('every module has the shape of its plain twin', async () => {
    const twin = await shapes(configOf(benign));
    for (const texts of tried) expect(await shapes(configOf(texts)), texts.fits.join()).toBe(twin);
  });

  test('and type-checks', async () => {
    const operations: Record<string, unknown> = {};
    for (const [index, texts] of tried.entries()) {
      const config = configOf(texts) as { readonly operations: Readonly<Record<string, unknown>> };
      for (const [name, operation] of Object.entries(config.operations))
        operations[`${name}/${index}`] = operation;
    }
    const whole = { ...configOf(benign), operations };
    const files = await filesOf(whole);
    const folders = buildServices('request-injection', [{ name: 'requests', files }]);
    expect(folders.size).toBe(1);
  });
});
