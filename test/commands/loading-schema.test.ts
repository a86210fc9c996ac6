/** The progress stage shown while a schema is loaded for the first time, which may take long. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../compiler/tools/commands/command-line.js';
import { testTerminal } from '../helpers/test-terminal.js';
import { Workspace } from './workspace.js';

let space: Workspace;
const before = process.env['XDG_CACHE_HOME'];

beforeAll(() => {
  space = new Workspace();
  process.env['XDG_CACHE_HOME'] = space.path('cache');
  space.write('migrations/1.sql', 'CREATE TABLE a (id int PRIMARY KEY);');
  space.write(
    'config.yaml',
    `specification: "1.0"
operations:
  GET /a:
    fulfillments: [{ name: a, type: READ, datasource: db, instructions: [{ query: SELECT id FROM a }] }]
    responses: [{ name: ok, default: true, statuscode: 200, schema: { a: 'VALUE(a, $)' } }]
datasources:
  db: { type: db, url: 'jdbc:postgresql://localhost/a' }
`,
  );
});

afterAll(() => {
  if (before === undefined) delete process.env['XDG_CACHE_HOME'];
  else process.env['XDG_CACHE_HOME'] = before;
  space.remove();
});

async function stages(): Promise<readonly string[]> {
  const found: string[] = [];
  const stage = (text: string | undefined): void => {
    if (text !== undefined) found.push(text);
  };
  const terminal = { ...testTerminal(space.folder, () => undefined), stage };
  expect(await runCommandLine(['check'], terminal)).toBe(0);
  return found;
}

test('a schema is loaded once, and again when a file is added', async () => {
  expect(await stages()).toEqual(['Checking config.yaml', 'Loading the schema (migrations/1.sql)']);
  expect(await stages()).toEqual(['Checking config.yaml']);
  space.write('migrations/2.sql', 'CREATE TABLE b (id int PRIMARY KEY);');
  expect(await stages()).toEqual(['Checking config.yaml', 'Loading the schema (2 files)']);
});
