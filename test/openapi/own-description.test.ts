/**
 * A generated description never rejects a request that the configuration accepts without it: every request of every fixture without a
 * description gets the same response with the generated one.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile } from '../../compiler/compile.js';
import { describe as describeConfig } from '../../compiler/tools/describe.js';
import { assets } from '../emit/compile-text.js';
import { runFixture, type FixtureRun } from '../helpers/fixture-run.js';
import { play } from '../helpers/play-request.js';
import { everyOf, manyRuns } from '../helpers/runs.js';
import { translateServices } from '../helpers/service-build.js';
import {
  inputOf,
  serviceFixtures,
  withOwnFiles,
  type FixtureRequest,
  type ServiceFixture,
} from '../helpers/service-fixture.js';

// The description is the same for both databases.
const fixtures = serviceFixtures()
  .filter(
    ({ name, description }, index, all) =>
      description === undefined && (manyRuns || all.findIndex((other) => other.name === name) === index),
  )
  .filter((_, index) => index % everyOf(6) === 0);
const compiled = await Promise.all(fixtures.map(compileDescribed));
let folders: Map<string, string>;

beforeAll(() => {
  folders = translateServices(
    'own-description',
    compiled.map(({ id, fixture, files }) => ({ name: id, files: withOwnFiles(files, fixture) })),
  );
});

describe.each(compiled)('$id', ({ id, fixture, files }) => {
  let run: FixtureRun;

  beforeAll(async () => {
    run = await runFixture(`${id}-described`, fixture, files, folders.get(id) ?? '', 'UTC');
  });

  afterAll(async () => {
    expect(await run.service.stop()).toBe(0);
    await run.thirdParty.stop();
    await run.credentials.stop();
  });

  // The description declares accept-language as a header, so the query is no longer read first.
  // A parameter of a LOOP is described as an array, so objects in brackets are not valid, and its messages are those of the description.
  // Orders, pages and their limits are described, so the description refuses others (docs/reference/lists.md).
  // A path parameter that is compared with an integer column is described as an integer, and a response that repeats it has a number.
  const inPlace = fixture.requests.filter(
    ({ request }) =>
      !/[?&](?:accept-language=|(?:name|page)\[\w+\]|page=1&page\[\]|sort=id$|limit=\d{3,})|^GET \/people\/9$/.test(
        request,
      ),
  );
  test.each(inPlace)('$name', async (request) => {
    await play(isRefusedEarlier(request) ? withoutBody(request) : request, run);
  });
});

/** Whether the description refuses the request before the service does, with a message of its own. */
function isRefusedEarlier({ request, status, parts }: FixtureRequest): boolean {
  const isDescribed =
    /[?&](?:sort|limit|page|after)=/.test(request) || parts?.some(({ name }) => name.includes('['));
  return status === 400 && isDescribed === true;
}

/** The request, whatever the body of its response is. */
function withoutBody(request: FixtureRequest): FixtureRequest {
  const fields = Object.entries(request).filter(([field]) => field !== 'message' && field !== 'response');
  return Object.fromEntries(fields) as unknown as FixtureRequest;
}

async function compileDescribed(fixture: ServiceFixture) {
  const id = `${fixture.name}-${fixture.database}`;
  const config = { path: 'config.yaml', text: fixture.config };
  const { text, diagnostics: mistakes } = await describeConfig(config, 'json', undefined, fixture.include);
  if (text === undefined) throw new Error(`${id}: ${mistakes.map(({ message }) => message).join('\n')}`);
  const source = { path: 'openapi.json', text };
  const description = { source, read: () => undefined };
  const { files, diagnostics } = await compile({ ...inputOf(fixture), description }, assets);
  if (files === undefined) throw new Error(`${id}: ${diagnostics.map(({ message }) => message).join('\n')}`);
  return { id, fixture, files };
}
