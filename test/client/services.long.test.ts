/** Every request of the service fixtures, through the client of the service: the sent request, the response, and its declared type. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compiledFixtures } from '../helpers/compiled-fixtures.js';
import { runFixture, type FixtureRun } from '../helpers/fixture-run.js';
import { translateServices } from '../helpers/service-build.js';
import { databasesOf, inputOf, withOwnFiles } from '../helpers/service-fixture.js';
import { typeErrors } from '../helpers/type-check.js';
import {
  clientOf,
  loadClient,
  strictOptions,
  type LoadedClient,
  type PlannedClient,
} from './client-module.js';
import { playThrough, type Played } from './played-client.js';

const { fixtures } = await compiledFixtures((all) => all.filter(({ database }) => database === 'postgresql'));

/** Statuses of errors that user code throws; descriptions of the author can name them. */
const statusesOfUserCode: Readonly<Record<string, readonly string[]>> = {
  'files-in-code': ['postScans 422'],
  functions: ['getOddByKind 409'],
  'own-code': ['getMischiefByKind 409'],
};

const written: { name: string; files: { path: string; text: string }[] }[] = [];
const options = { path: 'tsconfig.json', text: JSON.stringify({ compilerOptions: strictOptions }) };

describe.each(fixtures)('$id', ({ id, fixture, files = [] }) => {
  let run: FixtureRun;
  let planned: PlannedClient;
  let client: LoadedClient;
  const played: Played[] = [];

  beforeAll(async () => {
    planned = await clientOf(inputOf(fixture), databasesOf(fixture));
    client = await loadClient(id, planned.text);
    written.push({ name: id, files: [options, { path: 'client.ts', text: planned.text }] });
    const folders = translateServices(`client-${id}`, [{ name: id, files: withOwnFiles(files, fixture) }]);
    run = await runFixture(`client-${id}`, fixture, files, folders.get(id) ?? '', 'UTC');
  });

  afterAll(async () => {
    await run.service.stop();
    await run.thirdParty.stop();
    await run.credentials.stop();
  });

  test.each(fixture.requests)('$name', async (request) => {
    played.push(await playThrough(request, run, planned, client));
  });

  test('no response is missing in the client', () => {
    if (process.env['SHOW_CALLS'] !== undefined) console.log(id, summary(played));
    const undescribed = played.flatMap((one) => (one.kind === 'undescribed' ? [one] : []));
    expect(undescribed.map(({ operation, status }) => `${operation} ${status}`)).toEqual(
      statusesOfUserCode[fixture.name] ?? [],
    );
  });
});

test('all clients compile with strict options', () => {
  expect(typeErrors(written, (path) => path === 'client.ts')).toEqual([]);
});

function summary(played: readonly Played[]): object {
  const count = (kind: Played['kind']): number => played.filter((one) => one.kind === kind).length;
  return { called: count('called'), raw: count('raw'), undescribed: count('undescribed') };
}
