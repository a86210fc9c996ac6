/**
 * The surroundings of a running example: an embedded database, third parties simulated from its `config.stubs.yaml`, and a token issuer.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DevStubs } from '../../compiler/tools/commands/dev/dev-stubs.js';
import type { Config } from '../../compiler/read/config/config-model.js';
import { readConfig } from '../../compiler/read/config/read-config.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { startEmbeddedDatabase } from '../../compiler/tools/local/embedded-database.js';
import { datasourceSettings } from '../../compiler/tools/local/local-database.js';
import { StubServer } from '../../compiler/tools/local/stub-server.js';
import { TestCredentials } from '../../compiler/tools/testing/test-credentials.js';
import { upperSnake } from '../../runtime/server/environment-reference.js';
import { repository } from '../helpers/service-fixture.js';

export interface ExampleParts {
  /** Environment variables for a service that uses these parts. */
  readonly settings: Readonly<Record<string, string>>;
  /** The issuer's address if the example accepts tokens: `/token?sub=ada` returns a token with that claim. */
  readonly issuer: string | undefined;
  stop(): Promise<void>;
}

/** Starts the parts. `path`: the configuration. `environment`: variables of the example. */
export async function startParts(
  path: string,
  environment: Readonly<Record<string, string>>,
  print: (line: string) => void,
): Promise<ExampleParts> {
  const config = readConfig({ path, text: readFileSync(path, 'utf8') }, new Report());
  if (config === undefined) throw new Error(`${path} cannot be read.`);
  const [database, stubs, issuer] = [
    await startDatabase(config, dirname(path)),
    await startStubs(config, path, environment, print),
    await startIssuer(config, environment),
  ];
  return {
    settings: { ...database.settings, ...stubs.settings, ...issuer?.settings },
    issuer: issuer?.url,
    stop: async () => {
      await Promise.all([database.stop(), stubs.stop(), issuer?.stop()]);
    },
  };
}

/** A single database, with the sample data, for all datasources. */
async function startDatabase({ datasources }: Config, folder: string) {
  const read = (name: string) => [{ path: name, text: readFileSync(join(folder, name), 'utf8') }];
  const database = await startEmbeddedDatabase({ schema: read('schema.sql'), seed: read('seed.sql') });
  const settings = datasources
    .filter(({ type }) => type === 'db')
    .map(({ name }) => datasourceSettings(upperSnake(name.value), database.connection));
  return { settings: Object.assign({}, ...settings) as Record<string, string>, stop: () => database.stop() };
}

async function startStubs(
  config: Config,
  path: string,
  environment: Readonly<Record<string, string>>,
  print: (line: string) => void,
) {
  const played = new DevStubs(print, () => undefined);
  const { settings } = await played.prepare(config, {
    config: path,
    folder: repository,
    environment,
    note: () => undefined,
    record: false,
  });
  return { settings, stop: () => played.stop() };
}

/** An identity provider without log-in: the query determines the claims of a token. */
async function startIssuer(config: Config, environment: Readonly<Record<string, string>>) {
  const authentications = config.authentications.filter(({ type }) => type === 'jwt');
  const [first] = authentications;
  if (first === undefined) return undefined;
  const credentials = await TestCredentials.start({ ...config, authentications }, environment);
  const server = await StubServer.start(async ({ path, query }) => {
    if (path !== '/token') return { status: 404 };
    const identity = {
      authentication: first.name.value,
      claims: Object.fromEntries(query),
      key: undefined,
    };
    const { headers } = await credentials.of(identity, Buffer.alloc(0));
    const token = headers['authorization']?.replace(/^\S+ /, '') ?? '';
    return { headers: { 'content-type': 'text/plain' }, body: token };
  });
  return {
    url: server.url,
    settings: credentials.settings,
    stop: async () => {
      await Promise.all([server.stop(), credentials.stop()]);
    },
  };
}
