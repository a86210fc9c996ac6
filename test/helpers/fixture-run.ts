/** Runs the built service of a fixture with its database and its third party. */
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import { readConfig } from '../../compiler/read/config/read-config.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { TestCredentials } from '../../compiler/tools/testing/test-credentials.js';
import { RunningService } from './running-service.js';
import type { ServiceFixture } from './service-fixture.js';
import { sharedMariadb, sharedPostgres } from './shared-servers.js';
import { playing, ThirdParty } from './third-party.js';

export interface FixtureRun {
  readonly service: RunningService;
  readonly thirdParty: ThirdParty;
  readonly credentials: TestCredentials;
  /** Parts of responses that later requests send, by name. */
  readonly kept: Map<string, string>;
}

/** `id` names the database, which is created anew; `folder` contains the built service. */
export async function runFixture(
  id: string,
  fixture: ServiceFixture,
  files: readonly GeneratedFile[],
  folder: string,
  timeZone: string,
): Promise<FixtureRun> {
  const server = fixture.database === 'postgresql' ? await sharedPostgres() : await sharedMariadb();
  const database = `fixture_${id.replaceAll('-', '_')}`;
  await server.createDatabase(database);
  await server.exec(database, fixture.schema);
  if (fixture.seed !== '') await server.exec(database, fixture.seed);
  const thirdParty = await ThirdParty.start(
    playing(fixture.thirdParty),
    fixture.thirdParty.filter(({ timed }) => timed).map(({ request }) => request),
  );
  const credentials = await credentialsOf(fixture);
  const environment = {
    TZ: timeZone,
    ...credentials.settings,
    ...connection(files, server.jdbcUrl(database), server, thirdParty.url),
    ...fixture.environment,
  };
  return {
    service: await RunningService.start(folder, environment),
    thirdParty,
    credentials,
    kept: new Map(),
  };
}

/** Credentials for the authentications named in requests; the fixture's environment takes precedence. */
function credentialsOf({ config: text, environment, requests }: ServiceFixture): Promise<TestCredentials> {
  const config = readConfig({ path: 'config.yaml', text }, new Report());
  if (config === undefined) throw new Error('The configuration cannot be read.');
  const named = new Set(requests.map(({ authentication }) => authentication));
  const authentications = config.authentications.filter(({ name }) => named.has(name.value));
  return TestCredentials.start({ ...config, authentications }, environment);
}

/** Connects all databases to the test's database, and all third parties to the test's third party, with the datasource's name as path. */
function connection(
  files: readonly GeneratedFile[],
  url: string,
  { user, password }: { readonly user: string; readonly password: string },
  thirdParty: string,
): Record<string, string> {
  const urls =
    files.find(({ path }) => path === '.env')?.text.matchAll(/^DATASOURCE_(\w+)_URL="?(\w+)/gm) ?? [];
  return Object.fromEntries(
    [...urls].flatMap(([, name = '', scheme]) =>
      scheme === 'jdbc'
        ? [
            [`DATASOURCE_${name}_URL`, url],
            [`DATASOURCE_${name}_USER`, user],
            [`DATASOURCE_${name}_PASSWORD`, password],
          ]
        : [[`DATASOURCE_${name}_URL`, `${thirdParty}/${name.toLowerCase()}`]],
    ),
  );
}
