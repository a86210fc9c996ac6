/** Statement descriptions by the embedded PostgreSQL, with schemas as written by common tools; and their cache. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkWithDatabases } from '../../compiler/compile.js';
import { DiskCache } from '../../compiler/analyze/database/disk-cache.js';
import { askSchema } from '../../compiler/analyze/database/postgres-schema.js';
import { SchemaDatabases } from '../../compiler/analyze/database/schema-databases.js';
import { schemaStatements } from '../../compiler/analyze/database/schema-text.js';
import { everyOf } from '../helpers/runs.js';
import { inputOf, serviceFixtures } from '../helpers/service-fixture.js';

let folder: string;
let files: DiskCache;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'apikiln-schemas-'));
  files = new DiskCache(folder);
  // Creating a data folder takes seconds, so reuse the one cached by other tests.
  const data = DiskCache.ofUser('schemas', process.env).read('data');
  if (data !== undefined) files.write('data', data);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const schema = `
  CREATE TYPE mood AS ENUM ('calm', 'wild');
  CREATE DOMAIN email AS text CHECK (value LIKE '%@%');
  CREATE TABLE person (id bigint PRIMARY KEY, mail email NOT NULL, mood mood, tags text[] NOT NULL, data jsonb);
  CREATE TABLE pet (id int PRIMARY KEY, owner bigint NOT NULL REFERENCES person, kind text CHECK (kind IN ('cat', 'dog')));
  CREATE VIEW calm AS SELECT id, mail FROM person WHERE mood = 'calm';`;
const sources = [{ path: 'schema.sql', text: schema }];

describe('results', () => {
  test('columns with types, enums, domains, arrays and their tables; parameters', async () => {
    const text = 'SELECT mail, mood, tags, data, count(*) OVER () FROM person WHERE id = $1 AND mood = $2';
    const { results, tables, errors } = await askSchema(sources, [text], { files });
    const table = 'person';
    expect(errors).toEqual([]);
    expect(tables).toEqual([
      {
        name: 'calm',
        columns: ['id', 'mail'],
        refusingNull: [],
        query: expect.stringMatching(/^\s*SELECT/) as string,
        // Of the domain of its column.
        constraints: [{ name: 'email_check' }],
      },
      {
        name: 'person',
        columns: ['id', 'mail', 'mood', 'tags', 'data'],
        refusingNull: ['id', 'mail', 'tags'],
        keys: [['id']],
        indexed: ['id'],
        constraints: [{ name: 'email_check' }, { name: 'person_pkey' }],
      },
      {
        name: 'pet',
        columns: ['id', 'owner', 'kind'],
        refusingNull: ['id', 'owner'],
        keys: [['id']],
        indexed: ['id'],
        references: [{ column: 'owner', table: 'person', target: 'id' }],
        values: { kind: ['cat', 'dog'] },
        constraints: [
          { name: 'email_check' },
          { name: 'pet_kind_check' },
          { name: 'pet_owner_fkey' },
          { name: 'pet_pkey' },
        ],
      },
    ]);
    expect(results.get(text)).toEqual({
      description: {
        parameters: [{ name: 'int8' }, { name: 'mood', labels: ['calm', 'wild'] }],
        columns: [
          { name: 'mail', type: { name: 'text' }, origin: { table, isNotNull: true } },
          {
            name: 'mood',
            type: { name: 'mood', labels: ['calm', 'wild'] },
            origin: { table, isNotNull: false },
          },
          {
            name: 'tags',
            type: { name: '_text', element: { name: 'text' } },
            origin: { table, isNotNull: true },
          },
          { name: 'data', type: { name: 'jsonb' }, origin: { table, isNotNull: false } },
          { name: 'count', type: { name: 'int8' } },
        ],
      },
    });
  });

  test('a refusal has its position, counted in characters of two units too', async () => {
    const text = "SELECT '😀', nothing FROM person";
    const { results } = await askSchema(sources, [text], { files });
    expect(results.get(text)).toEqual({
      refusal: { message: 'column "nothing" does not exist', code: '42703', at: text.indexOf('nothing') },
    });
  });

  test('nothing is run', async () => {
    const text = 'INSERT INTO pet SELECT 1, 1 FROM pg_sleep(600)';
    const { results } = await askSchema(sources, [text, 'DROP TABLE pet', 'SELECT id FROM pet'], { files });
    expect(results.get('SELECT id FROM pet')).toHaveProperty('description');
  });

  test('earlier results are cached, and an unreadable cache is asked anew', async () => {
    const text = 'SELECT id FROM calm';
    const first = await askSchema(sources, [text], { files });
    // Without the cached data folder, another database would be created; with cached results, no database is needed.
    const names = readdirSync(folder).filter((name) => name !== 'data');
    expect(names).toHaveLength(1);
    expect(await askSchema(sources, [text], { files })).toEqual(first);
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), 'none');
    expect((await askSchema(sources, [text], { files })).results.get(text)).toEqual(first.results.get(text));
    expect((await askSchema(sources, [text], { files: new DiskCache(undefined) })).results.get(text)).toEqual(
      first.results.get(text),
    );
  });

  test('an extension that is there, and the search path of the session', async () => {
    const text = 'SELECT name FROM place';
    const own = 'CREATE EXTENSION citext; CREATE SCHEMA app; CREATE TABLE app.place (name citext NOT NULL);';
    const found = await askSchema([{ path: 'schema.sql', text: own }], [text], {
      files,
      searchPath: 'app, public',
    });
    expect(found.errors).toEqual([]);
    expect(found.results.get(text)).toHaveProperty('description.columns.0.type.name', 'citext');
  });
});

describe('the statements of a schema', () => {
  test('semicolons in bodies, strings, comments and rows of COPY end none; commands of psql are left out', () => {
    const text = [
      '\\restrict abc',
      'CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $body$ SELECT 1; SELECT 2; $body$; -- a; b',
      'COPY public.t (id, name) FROM stdin;',
      "1\tO'Fallon; x",
      '\\.',
      "INSERT INTO t VALUES (';')",
      '-- migrate:down',
      'DROP TABLE t;',
    ].join('\n');
    const found = schemaStatements({ path: 'schema.sql', text });
    expect(found.map((statement) => statement.text.trim())).toEqual([
      'CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $body$ SELECT 1; SELECT 2; $body$;',
      'COPY public.t (id, name) FROM stdin;',
      "INSERT INTO t VALUES (';')",
    ]);
    for (const { start, text: own } of found) expect(text.slice(start, start + 6)).toBe(own.slice(0, 6));
  });
});

describe('with its schema no fixture has more diagnostics than without, but those of types', () => {
  /** Codes that need column types, by the fixture that triggers them on purpose. */
  const ofTypes: Readonly<Record<string, readonly string[]>> = {
    mapping: ['join-type-differs'],
    joins: ['missing-row', 'missing-row'],
    decided: ['row-never-there'],
  };
  /** Codes that report missing column types. */
  const withoutTypes: ReadonlySet<string> = new Set([
    'time-as-text',
    'unknown-digits',
    'unknown-number-types',
  ]);
  const fixtures = serviceFixtures()
    .filter(({ database }) => database === 'postgresql')
    .filter((_, index) => index % everyOf(24) === 0);
  test.each(fixtures)('$name', async (fixture) => {
    const own = { kind: 'schema', sources: [{ path: 'schema.sql', text: fixture.schema }] } as const;
    const databases = new SchemaDatabases((_, names) => (names.length === 1 ? own : undefined), files);
    const { diagnostics } = await checkWithDatabases(inputOf(fixture), databases);
    const { diagnostics: alone } = await checkWithDatabases(
      inputOf(fixture),
      new SchemaDatabases(() => undefined, files),
    );
    const more = diagnostics.filter((one) => !alone.some((other) => isDeepStrictEqual(one, other)));
    expect(more.map(({ code }) => code)).toEqual(ofTypes[fixture.name] ?? []);
    const kept = alone.filter(
      (one) => !withoutTypes.has(one.code) || diagnostics.some((other) => isDeepStrictEqual(one, other)),
    );
    expect(diagnostics.filter((one) => !more.includes(one))).toEqual(kept);
  });
});
