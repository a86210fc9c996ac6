/** The services of the suites: compiled without warnings, built, and started on separate databases. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFixture } from '../helpers/compiled-fixtures.js';
import { runFixture } from '../helpers/fixture-run.js';
import { buildServices } from '../helpers/service-build.js';
import {
  repository,
  withOwnFiles,
  type DatabaseKind,
  type ServiceFixture,
} from '../helpers/service-fixture.js';

export interface Suite {
  /** Used as the name of the database and the build. */
  readonly id: string;
  readonly config: string;
  /** The text of the API description, if any. */
  readonly description?: string;
  readonly schema: string;
  readonly seed?: string;
  readonly database?: DatabaseKind;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface SuiteRun {
  readonly url: string;
  stop(): Promise<void>;
}

/** Reads a file in `test/suites`. */
export function suiteFile(...path: string[]): string {
  return readFileSync(join(repository, 'test/suites', ...path), 'utf8');
}

/** Throws if the compiler reports anything. */
export async function startSuite(suite: Suite): Promise<SuiteRun> {
  const { id } = suite;
  const fixture = fixtureOf(suite);
  const { diagnostics, files: written } = await compileFixture(fixture);
  if (written === undefined || diagnostics.length > 0)
    throw new Error(diagnostics.map(({ code, message }) => `${code}: ${message}`).join('\n'));
  const files = withOwnFiles(written, fixture);
  const folder = buildServices(`suite-${id}`, [{ name: id, files }]).get(id) ?? '';
  const { service, thirdParty } = await runFixture(`suite-${id}`, fixture, files, folder, 'UTC');
  return {
    url: service.url,
    async stop() {
      await service.stop();
      await thirdParty.stop();
    },
  };
}

function fixtureOf({ id, description, seed = '', database = 'postgresql', ...suite }: Suite): ServiceFixture {
  return {
    ...{ name: id, database, seed, config: suite.config, schema: suite.schema },
    description: description === undefined ? undefined : onlyFile(description),
    ...{
      app: undefined,
      middleware: undefined,
      code: [],
      api: undefined,
      target: undefined,
      with: [],
      include: () => [],
    },
    ...{ expected: [], requests: [], thirdParty: [], warnings: [], timeZones: ['UTC'] },
    environment: suite.environment ?? {},
  };
}

function onlyFile(text: string): ServiceFixture['description'] {
  return { source: { path: 'openapi.yaml', text }, read: () => undefined };
}
