/**
 * A generated description never refuses what the configuration takes without it (decisions 11.11): every request of every
 * fixture without a description has the same answer when the one that is generated for it stands beside the configuration.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile } from '../../compiler/compile.js';
import { readConfig } from '../../compiler/config/read-config.js';
import { Report } from '../../compiler/diagnostics/report.js';
import { generateDescription } from '../../compiler/openapi/generate.js';
import { assets } from '../emit/compile-text.js';
import { runFixture, type FixtureRun } from '../helpers/fixture-run.js';
import { play } from '../helpers/play-request.js';
import { manyRuns } from '../helpers/runs.js';
import { translateServices } from '../helpers/service-build.js';
import { inputOf, serviceFixtures, type ServiceFixture } from '../helpers/service-fixture.js';

// The description is the same for both databases.
const fixtures = serviceFixtures().filter(
  ({ name, description }, index, all) =>
    description === undefined && (manyRuns || all.findIndex((other) => other.name === name) === index),
);
const compiled = await Promise.all(fixtures.map(compileDescribed));
let folders: Map<string, string>;

beforeAll(() => {
  folders = translateServices(
    'own-description',
    compiled.map(({ id, files }) => ({ name: id, files })),
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
  });

  test.each(fixture.requests)('$name', async (request) => {
    await play(request, run.service.url, run.thirdParty);
  });
});

async function compileDescribed(fixture: ServiceFixture) {
  const id = `${fixture.name}-${fixture.database}`;
  const config = readConfig({ path: 'config.yaml', text: fixture.config }, new Report());
  if (config === undefined) throw new Error(`${id} cannot be read.`);
  const source = { path: 'openapi.json', text: JSON.stringify(generateDescription(config)) };
  const description = { source, read: () => undefined };
  const { files, diagnostics } = await compile({ ...inputOf(fixture), description }, assets);
  if (files === undefined) throw new Error(`${id}: ${diagnostics.map(({ message }) => message).join('\n')}`);
  return { id, fixture, files };
}
