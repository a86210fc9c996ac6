/** Clients of services: their exact text, the types that callers see, and what does not change them. */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { takenFunctions, takenTypes } from '../../compiler/generate/plan/client/client-names.js';
import { readDocument } from '../documents/code-blocks.js';
import {
  databasesOf,
  inputOf,
  repository,
  serviceFixtures,
  type ServiceFixture,
} from '../helpers/service-fixture.js';
import { typeErrors } from '../helpers/type-check.js';
import { clientOf, strictOptions } from './client-module.js';

const folder = join(repository, 'fixtures/clients');

/** The services with an expected client. */
const names = readdirSync(folder).flatMap((file) => (file.endsWith('.ts') ? [file.slice(0, -3)] : []));
const options = { path: 'tsconfig.json', text: JSON.stringify({ compilerOptions: strictOptions }) };

function fixtureOf(name: string): ServiceFixture | undefined {
  return serviceFixtures().find((one) => one.name === name && one.database === 'postgresql');
}

async function textOf(fixture: ServiceFixture, config = fixture.config): Promise<string> {
  const { text } = await clientOf(inputOf({ ...fixture, config }), databasesOf(fixture));
  return text;
}

const fixtures = names.flatMap((name) => fixtureOf(name) ?? []);

describe.each(fixtures.map((fixture) => ({ name: fixture.name, fixture })))('$name', ({ name, fixture }) => {
  let text = '';

  beforeAll(async () => {
    text = await textOf(fixture);
  });

  test('has the expected text', () => {
    const path = join(folder, `${name}.ts`);
    if (process.env['UPDATE_FIXTURES'] === '1') writeFileSync(path, text);
    expect(text).toBe(readFileSync(path, 'utf8'));
  });

  test.runIf(existsSync(join(folder, 'callers', `${name}.ts`)))('has the types that callers see', () => {
    const caller = readFileSync(join(folder, 'callers', `${name}.ts`), 'utf8');
    const files = [
      options,
      { path: `clients/${name}.ts`, text },
      { path: `clients/callers/${name}.ts`, text: caller },
    ];
    expect(typeErrors([{ name: 'browser', files }])).toEqual([]);
    const node = {
      ...strictOptions,
      lib: ['ES2023'],
      types: ['node'],
      module: 'NodeNext',
      moduleResolution: 'NodeNext',
    };
    const withNode = { path: 'tsconfig.json', text: JSON.stringify({ compilerOptions: node }) };
    expect(typeErrors([{ name: 'node', files: [withNode, ...files.slice(1)] }])).toEqual([]);
  });
});

test('the example of the reference compiles', () => {
  const { blocks } = readDocument('docs/reference/clients.md');
  const files = blocks.flatMap(({ words: [name], text }, index) =>
    name === 'saas' ? [{ path: `clients/example-${index}.ts`, text }] : [],
  );
  const saas = { path: 'clients/saas.ts', text: readFileSync(join(folder, 'saas.ts'), 'utf8') };
  expect(files.length).toBeGreaterThan(0);
  expect(typeErrors([{ name: 'reference', files: [options, saas, ...files] }])).toEqual([]);
});

describe('a client changes only with the contract', () => {
  const saas = fixtureOf('saas');

  test.runIf(saas !== undefined).each([
    [
      'another statement',
      (text: string) => text.replace('ORDER BY id LIMIT 100', 'ORDER BY name, id LIMIT 50'),
    ],
    [
      'other names of steps',
      (text: string) =>
        text.replaceAll('tenant.name', 'owner.name').replace('name: tenant\n', 'name: owner\n'),
    ],
    ['another database', (text: string) => text.replace('localhost:5432/invoicing', 'db.example.com/other')],
    ['a comment', (text: string) => `# Invoices\n${text}`],
    ['operations in another order', moved],
  ])('%s', async (_, change) => {
    if (saas === undefined) return;
    const config = change(saas.config);
    expect(config).not.toBe(saas.config);
    expect(await textOf(saas, config)).toBe(await textOf(saas));
  });

  test.runIf(saas !== undefined)('a new status changes it', async () => {
    if (saas === undefined) return;
    const config = saas.config.replace('statuscode: 428', 'statuscode: 424');
    expect(await textOf(saas, config)).toContain('| 424 |');
  });
});

/** The configuration with `GET /me` as its first operation. */
function moved(text: string): string {
  const [me = ''] = /^ {2}GET \/me:\n(?: {4}.*\n|\n)*/m.exec(text) ?? [];
  return text.replace(me, '').replace('operations:\n', `operations:\n${me}`);
}

test('an enumeration that is nullable has null in its type', async () => {
  const config = `specification: '1.0'
operations:
  GET /state:
    responses: [{ name: ok, default: true, statuscode: 200, schema: { state: 'QUERY(state)' } }]
datasources: { db: { type: db, url: 'jdbc:postgresql://localhost:5432/db' } }
`;
  const description = `openapi: 3.0.3
info: { title: State, version: '1' }
paths:
  /state:
    get:
      parameters: [{ name: state, in: query, schema: { type: string } }]
      responses:
        '200':
          description: ok
          content:
            application/json:
              schema:
                type: object
                required: [state]
                properties: { state: { type: string, nullable: true, enum: [on, 'off'] } }
`;
  const { text } = await clientOf(
    {
      config: { path: 'config.yaml', text: config },
      description: { source: { path: 'openapi.yaml', text: description }, read: () => undefined },
    },
    { ask: () => Promise.resolve(undefined) } as never,
  );
  expect(text).toContain("{ state: 'on' | 'off' | null }");
});

test('no generated name hides one of the template', () => {
  const template = readFileSync(join(repository, 'templates/client/client.ts'), 'utf8');
  const declared = (words: string): string[] =>
    [...template.matchAll(new RegExp(`^(?:export )?(?:async )?(?:${words}) (\\w+)`, 'gm'))].map(
      ([, name]) => name ?? '',
    );
  expect(declared(String.raw`function\*?`).filter((name) => !takenFunctions.includes(name))).toEqual([]);
  expect(declared('interface|type|class').filter((name) => !takenTypes.includes(name))).toEqual([]);
  const globals = template.match(/(?<![\w.'`/])[A-Z][A-Za-z]+(?=[<(.\s|,;)[])/g) ?? [];
  const types = new Set(globals.filter((name) => name in globalThis));
  expect([...types].filter((name) => !takenTypes.includes(name))).toEqual([]);
});
