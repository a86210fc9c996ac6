/** Strings in an API description that try to break out of their context in generated code. */
import { Texts } from '../../../runtime/http/texts.js';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { compile } from '../../../compiler/compile.js';
import type { GeneratedFile } from '../../../compiler/generate/emit/module/file.js';
import type { Input } from '../../../runtime/validate/validate-request.js';
import type { Json } from '../../../runtime/handler/json.js';
import { assets } from '../../emit/compile-text.js';
import { canary, hostileTexts } from '../../emit/hostile.js';
import { buildServices } from '../../helpers/service-build.js';
import { errorOf } from './generated-api.js';

/** Names used by the runtime, TypeScript keywords, and names declared in the module. */
const collisions =
  'text object required input values list later Schema getAInput getA class await arguments __proto__ constructor'.split(
    ' ',
  );
const texts = [...new Set([...hostileTexts, ...collisions])];

const pointer = (name: string): string =>
  `#/components/schemas/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

const models = Object.fromEntries(
  texts.map((text, index): [string, unknown] => [
    text,
    {
      type: 'object',
      description: text,
      title: text,
      properties: Object.fromEntries([
        [text, { enum: [text] }],
        ['next', { $ref: pointer(texts[(index + 1) % texts.length] ?? '') }],
      ]) as unknown,
      required: [text],
    },
  ]),
);
const description = {
  openapi: '3.1.0',
  paths: {
    '/a': {
      get: {
        description: hostileTexts[10],
        parameters: [
          ...texts.map((text) => ({
            name: text,
            in: 'query',
            schema: { type: 'string', default: text, const: text },
          })),
          ...texts.map((text) => ({
            name: text,
            in: 'header',
            schema: { type: 'string', pattern: escaped(text) },
          })),
        ],
        requestBody: {
          content: {
            'application/json': { schema: { oneOf: texts.map((text) => ({ $ref: pointer(text) })) } },
          },
        },
      },
    },
  },
  components: { schemas: models },
};

const config = {
  specification: '1.0',
  operations: {
    'GET /a': {
      fulfillments: [{ name: 'a', type: 'READ', datasource: 'db', instructions: [{ query: 'SELECT 1' }] }],
      responses: [{ name: 'ok', default: true, statuscode: 200 }],
    },
  },
  datasources: { db: { type: 'db', url: 'jdbc:postgresql://localhost/db' } },
};

let files: readonly GeneratedFile[];
let inputs: Readonly<Record<string, Input>>;

beforeAll(async () => {
  const source = { path: 'x/*/ y.json', text: JSON.stringify(description) };
  const given = { source, read: () => undefined };
  const compiled = await compile(
    { config: { path: 'config.yaml', text: JSON.stringify(config) }, description: given },
    assets,
  );
  if (compiled.files === undefined)
    throw new Error(compiled.diagnostics.map(({ message }) => message).join('\n'));
  files = compiled.files;
  const folder = buildServices('hostile-api', [{ name: 'api', files }]).get('api') ?? '';
  inputs = (await import(pathToFileURL(join(folder, 'dist/api.js')).href)) as typeof inputs;
});

test('the code type-checks, and nothing of it ran', () => {
  expect(Reflect.get(globalThis, canary)).toBeUndefined();
  expect(Object.keys(inputs).length).toBe(texts.length + 1);
});

test('the code shows every invisible character', () => {
  const text = files.find(({ path }) => path === 'src/api.ts')?.text ?? '';
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
});

test('every text is what it is', () => {
  const input = Object.values(inputs).find((value) => 'read' in value);
  const query = new Texts();
  for (const text of texts) query.add(text, text);
  const header = (name: string): string => name;
  for (const text of texts) {
    const body = Object.fromEntries([[text, text]]) as Json;
    expect(errorOf(input, { query, header, body }), text).toBeUndefined();
  }
  const values = input?.read({
    path: () => undefined,
    query: new Texts(),
    header: () => undefined,
    body: undefined,
    form: undefined,
  });
  for (const text of texts) expect(values?.get(text)).toBe(text);
});
