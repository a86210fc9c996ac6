/** Mappings and joins with hostile names: strings stay strings, and names that become the same identifier stay distinct. */
import { afterEach, describe, expect, test } from 'vitest';
import { compile } from '../../compiler/compile.js';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import { quote } from '../../compiler/read/expression/parse/quoted.js';
import type { Json, Row } from '../../runtime/handler/json.js';
import { assets } from '../emit/compile-text.js';
import { canary, hostileTexts } from '../emit/hostile.js';
import { buildServices } from '../helpers/service-build.js';
import { handlerOf } from './run-handler.js';

const inherited = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'length', '0', ''];
const texts = [...new Set([...hostileTexts, ...inherited])];

/** Names that generated code uses itself, or that become the same identifier. */
const fulfillments = [
  ...['first', 'groupBy', 'reply', 'item', 'call', 'row', 'Row', 'class', 'await', 'Groups', 'operation'],
  ...['constructor', '__proto__', 'aEntry', 'a', 'a-b', 'a_b', 'aB', 'aById', 'žluť', 'zlut', 'db', 'db2'],
];

interface Service {
  readonly mappings: Readonly<Record<string, Record<string, string>>>;
  readonly properties: Readonly<Record<string, Record<string, object>>>;
  readonly join: readonly string[];
  readonly names: readonly string[];
}

async function filesOf({ mappings, properties, join, names }: Service): Promise<readonly GeneratedFile[]> {
  const schemas = Object.fromEntries(
    Object.entries(properties).map(([name, fields]) => [name, { type: 'object', properties: fields }]),
  );
  const content = { 'application/json': { schema: list('Root') } };
  const description = {
    openapi: '3.1.0',
    info: { title: 't', version: '1' },
    paths: { '/': { get: { responses: { 200: { description: 'ok', content } } } } },
    components: { schemas },
  };
  const config = {
    specification: '1.0',
    operations: {
      'GET /': {
        fulfillments: names.map((name) => ({
          name,
          type: 'READ',
          datasource: 'db',
          queries: [{ query: 'SELECT * FROM t' }],
          join: join.filter(
            (condition) => condition.startsWith(`${name}.`) || condition.startsWith(`${name}[`),
          ),
        })),
        responses: [{ name: 'ok', default: true, statuscode: 200 }],
        mappings,
      },
    },
    datasources: { db: { type: 'db', url: 'jdbc:postgresql://localhost/db' } },
  };
  const { files, diagnostics } = await compile(
    {
      config: { path: 'config.yaml', text: JSON.stringify(config) },
      description: {
        source: { path: 'openapi.json', text: JSON.stringify(description) },
        read: () => undefined,
      },
    },
    assets,
  );
  if (files === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return files;
}

function list(model: string): object {
  return { type: 'array', items: { $ref: `#/components/schemas/${model}` } };
}

/** An object with these entries; `__proto__` is an ordinary field. */
function objectOf<Value>(entries: readonly (readonly [string, Value])[]): Record<string, Value> {
  return Object.fromEntries(entries);
}

function handlerText(files: readonly GeneratedFile[]): string {
  return files.find(({ path }) => path === 'src/operations/get-root.ts')?.text ?? '';
}

afterEach(() => {
  expect(Object.hasOwn(globalThis, canary)).toBe(false);
});

describe('texts', () => {
  const columns = texts.map((text) => `[${quote(text, "'")}]`);
  const service: Service = {
    names: ['a', 'b'],
    join: columns.map((column) => `a${column} == b${column}`),
    mappings: {
      Root: objectOf(texts.map((text, index) => [text, `a${columns[index] ?? ''}`])),
      Inner: objectOf(texts.map((text, index) => [text, `b${columns[index] ?? ''}`])),
    },
    properties: {
      Root: { ...objectOf(texts.map((text) => [text, {}])), 'the inner': list('Inner') },
      Inner: objectOf(texts.map((text) => [text, {}])),
    },
  };

  test('of models, columns and joins are fields, letter by letter', async () => {
    const files = await filesOf(service);
    expect(() => buildServices('hostile-mapping', [{ name: 'texts', files }])).not.toThrow();
    const row = objectOf(texts.map((text, index): [string, Json] => [text, index])) as Row;
    const other = { ...row, x: 1 };
    const { body } = await handlerOf(handlerText(files), 'getRoot')({ a: [row], b: [other, { x: 2 }] });
    const expected = objectOf([...Object.entries(row), ['the inner', [row]] as const]);
    expect(JSON.parse(JSON.stringify(body))).toEqual([JSON.parse(JSON.stringify(expected))]);
    expect(JSON.stringify(body)).toContain('"__proto__":');
  });
});

describe('names', () => {
  const inner = fulfillments.map((name, index) => [`M${index}`, { id: `${name}.id` }] as const);
  const fields = fulfillments.map((_, index) => [`m${index}`, list(`M${index}`)] as const);
  const service: Service = {
    names: ['root', ...fulfillments],
    join: fulfillments.map((name) => `root.id == ${name}.id`),
    mappings: { Root: { id: 'root.id' }, ...objectOf(inner) },
    properties: {
      Root: { id: {}, ...objectOf(fields) },
      ...objectOf(fulfillments.map((_, index) => [`M${index}`, { id: {} }] as const)),
    },
  };

  test('of fulfillments stay apart', async () => {
    const files = await filesOf(service);
    expect(() => buildServices('hostile-mapping', [{ name: 'names', files }])).not.toThrow();
    const others = fulfillments.map((name, index): [string, Row[]] => [name, [{ id: '7' }, { id: index }]]);
    const results = objectOf([['root', [{ id: 7 }]], ...others]);
    const { body } = await handlerOf(handlerText(files), 'getRoot')(results);
    const expected = fulfillments.map((_, index): [string, Json] => {
      const found: Row[] = [{ id: '7' }];
      if (index === 7) found.push({ id: 7 });
      return [`m${index}`, found];
    });
    expect(body).toEqual([{ id: 7, ...objectOf(expected) }]);
  });
});
