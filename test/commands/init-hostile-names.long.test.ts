/** `apikiln init --from-database` with tables, columns, types and schemas whose names try to inject configuration. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../compiler/read/config/read-config.js';
import { nodesOf } from '../../compiler/read/config/walk.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { sql } from '../../compiler/notation/sql-writer.js';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import type { AttachedServer } from '../helpers/database-server.js';
import { everyOf } from '../helpers/runs.js';
import { hostileNames } from './hostile-names.js';
import { Workspace } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
});
afterEach(() => {
  space.remove();
});

/** The tables of the security finding: each name is the next line of an operation. */
const lines = [
  'a1\n  j: { triggers: [ { name: t, cron: "* * * * * *" } ], #',
  'a2\n   fulfillments: [ { name: n, type: UPDATE, #',
  'a3\n   datasource: database, instructions: [ { query: #',
  'a4\n   ALTER ROLE evil SUPERUSER } ] } ] } #',
];

function urlOf(kind: 'postgresql' | 'mysql', server: AttachedServer, database: string): string {
  return `${kind}://${server.user}:${server.password}@${server.host}:${server.port}/${database}`;
}

async function filled(
  kind: 'postgresql' | 'mysql',
  database: string,
  statements: readonly string[],
): Promise<string> {
  const server = kind === 'postgresql' ? await sharedPostgres() : await sharedMariadb();
  await server.createDatabase(database);
  for (const statement of statements) await server.exec(database, statement);
  return urlOf(kind, server, database);
}

interface Made {
  readonly operations: readonly string[];
  readonly errors: readonly string[];
  readonly config: string;
}

async function made(url: string, ...options: string[]): Promise<Made> {
  const { status, stderr } = await space.run('init', 'out', '--from-database', url, '--open', ...options);
  expect(status, stderr).toBe(0);
  const config = space.read('out/config.yaml');
  const read = readConfig({ path: 'config.yaml', text: config }, new Report());
  const operations = read?.operations.map(({ name }) => name.value) ?? [];
  const { operations: meant } = parse(config) as { operations: object };
  expect(operations).toEqual(Object.keys(meant));
  // Expressions do not read the environment, and no operation has a trigger.
  expect(read?.operations.flatMap(nodesOf).filter(({ kind }) => kind === 'variable')).toEqual([]);
  expect(read?.operations.filter(({ triggers }) => triggers.length > 0)).toEqual([]);
  const checked = await space.run('check', 'out/config.yaml', '--database', url);
  space.remove();
  space = new Workspace();
  return {
    operations,
    config,
    errors: [...checked.stderr.matchAll(/^.*\berror\b.*$/gm)].map(([line]) => line),
  };
}

/** Replaces the parts in which the paths differ. */
function methodsOf(operations: readonly string[]): string[] {
  return operations.map((name) => name.replace(/ .*?(?=\/\{|$)/, ' ').replaceAll(/\{[^}]*\}/g, '{}'));
}

describe.each(['postgresql', 'mysql'] as const)('%s', (kind) => {
  const quoted = (name: string): string => sql.identifier(name, kind);

  test('several names in a row are no operation', async () => {
    const statements = [
      ...lines.map((name) => `CREATE TABLE ${quoted(name)} (password int primary key)`),
      'CREATE TABLE news (id int primary key, title text)',
    ];
    const { operations } = await made(await filled(kind, 'init_lines', statements));
    expect(new Set(operations.map((name) => name.replace(/^\w+ (\/\w+).*$/, '$1')))).toEqual(
      new Set(['/news']),
    );
  });

  test('a table with a placeholder in a name or a default is left out, and the comment says why', async () => {
    const text = kind === 'postgresql' ? 'text' : 'varchar(60)';
    const { operations, errors, config } = await made(
      await filled(kind, 'init_placeholders', [
        `CREATE TABLE ${quoted('x :[ENV(DB_PASSWORD)]')} (id int primary key)`,
        `CREATE TABLE y (id int primary key, ${quoted('a :[PARAM(id)]')} int)`,
        `CREATE TABLE z (id int primary key, a ${text} DEFAULT ':[ENV(DB_PASSWORD)]')`,
        `CREATE TABLE w (id int primary key, a ${text} DEFAULT '{"a":[1]}')`,
        `CREATE TABLE v (id int primary key, y int REFERENCES y (id))`,
      ]),
    );
    expect(errors).toEqual([]);
    expect([...new Set(operations.map((name) => name.split(/[ /]+/)[1]))].sort()).toEqual(['v', 'w']);
    expect(
      config.match(/^ {2}# '.*' has no operations: a name or a default of it has the characters `:\[`/gm),
    ).toHaveLength(3);
    expect(config).not.toContain('FROM y');
  });

  test('notes about tables and columns have a line for each', async () => {
    const names = ['x\n  To write operations for one: y', 'x\u001b[2J', 'x\u202e'];
    const url = await filled(kind, 'init_notes', [
      'CREATE TABLE news (id int primary key, title varchar(20))',
      ...names.map((name) => `CREATE TABLE ${quoted(`apikiln_${name}`)} (id int primary key)`),
      ...names.map(
        (name, index) =>
          `CREATE TABLE s${index} (id int primary key, ${quoted(`password ${name}`)} varchar(20))`,
      ),
    ]);
    const { status, stdout, stderr } = await space.run('init', 'out', '--from-database', url, '--open');
    expect(status, stderr).toBe(0);
    expect(`${stdout}${stderr}`.match(/^ *To write/gm) ?? []).toEqual([]);
    expect(`${stdout}${stderr}`.match(/^ {2}(?:apikiln_x\?|s\d: password x\?)/gm)).toHaveLength(6);
  });

  test('a column named `__proto__`', async () => {
    const { operations, errors, config } = await made(
      await filled(kind, 'init_proto', [
        'CREATE TABLE news (id int primary key, title varchar(20))',
        `CREATE TABLE odd (id int primary key, ${quoted('__proto__')} varchar(20))`,
      ]),
    );
    expect(errors).toEqual([]);
    expect(operations.some((name) => name.includes('/odd'))).toBe(kind === 'postgresql');
    if (kind === 'mysql') expect(config).toContain('it has a column named `__proto__`');
  });

  test.each(['a', 'b'] as const)('names of all kinds, in syntax %s', async (syntax) => {
    // MySQL rejects trailing spaces and characters beyond the basic plane, and its driver cannot read `__proto__`.
    const part = everyOf(16);
    const names = hostileNames.filter(
      (name, index) =>
        index % part === (syntax === 'a' ? 0 : 1) % part &&
        Buffer.byteLength(name) <= 63 &&
        (kind === 'postgresql' || !/\s$|[\u{10000}-\u{10ffff}]|^__proto__$/u.test(name)),
    );
    const tablesOf = (all: readonly string[]): string[] =>
      all.flatMap((name, index) => {
        const short = quoted(name);
        const label = sql.string(name, kind);
        const type =
          kind === 'postgresql' ? quoted(`${index}${name}`.slice(0, 40).trimEnd()) : `enum(${label}, 'x')`;
        return [
          ...(kind === 'postgresql' ? [`CREATE TYPE ${type} AS ENUM (${label}, 'x${index}')`] : []),
          `CREATE TABLE ${quoted(`t${index}${name}`.slice(0, 40).trimEnd())} (id int, ${short} int, kind ${type} DEFAULT ${label}, PRIMARY KEY (id, ${short}))`,
          `CREATE TABLE ${quoted(`s${index}${name}`.slice(0, 40).trimEnd())} (id int primary key, ${short} varchar(50) NOT NULL, at int, other int, FOREIGN KEY (at, other) REFERENCES ${quoted(`t${index}${name}`.slice(0, 40).trimEnd())} (id, ${short}))`,
        ];
      });
    const hostile = await made(
      await filled(kind, `init_names_${syntax}`, tablesOf(names)),
      '--syntax',
      syntax,
    );
    expect(hostile.errors).toEqual([]);
    const isLeft = (name: string): boolean => /:\[(?:ENV|env|PARAM|param)/.test(name);
    const plain = await made(
      await filled(
        kind,
        `init_plain_${syntax}`,
        tablesOf(names.filter((name) => !isLeft(name)).map((_, index) => `plain${index}`)),
      ),
      ...['--syntax', syntax],
    );
    expect(methodsOf(hostile.operations).sort()).toEqual(methodsOf(plain.operations).sort());
  });
});

test('schemas of PostgreSQL', async () => {
  const names = hostileNames.filter(
    (name, index) => index % everyOf(6) === 0 && Buffer.byteLength(name) <= 63,
  );
  const statements = names.flatMap((name) => {
    const schema = sql.identifier(name, 'postgresql');
    return [`CREATE SCHEMA ${schema}`, `CREATE TABLE ${schema}.t (id int primary key, password text)`];
  });
  const { operations, errors } = await made(await filled('postgresql', 'init_schemas', statements));
  expect(errors).toEqual([]);
  const left = names.filter((name) => /:\[(?:ENV|env|PARAM|param)/.test(name)).length;
  expect(operations).toHaveLength((names.length - left) * 6);
});
