/** The service of the fixture `debug`, compiled and running on a separate database. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '../../../compiler/compile.js';
import { readAssets } from '../../../compiler/generate/assets.js';
import { RunningService } from '../../helpers/running-service.js';
import { buildServices } from '../../helpers/service-build.js';
import { inputOf, repository, serviceFixtures, type DatabaseKind } from '../../helpers/service-fixture.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';
import { playing, ThirdParty } from '../../helpers/third-party.js';

/** The account used by the operations. */
export const clerk = { user: 'clerk', password: 'secret-of-the-clerk' };
export const authorization = `Basic ${Buffer.from(`${clerk.user}:${clerk.password}`).toString('base64')}`;

export interface Bookshop {
  readonly service: RunningService;
  stop(): Promise<void>;
}

/** A fixture without settings.debug, run like in `apikiln dev`. `name` is the fixture's name. */
export async function startWithTestPage(name: string): Promise<RunningService> {
  const fixture = serviceFixtures().find((found) => found.name === name && found.database === 'postgresql');
  if (fixture === undefined) throw new Error(`there is no fixture ${name} with PostgreSQL`);
  const { files } = await compile({ ...inputOf(fixture), withTestPage: true }, readAssets(repository));
  if (files === undefined) throw new Error(`the fixture ${name} does not compile`);
  const server = await sharedPostgres();
  const folder = buildServices(`with-test-page-${name}`, [{ name, files }]).get(name) ?? '';
  const database = `with_test_page_${name}`;
  await server.createDatabase(database);
  await server.exec(database, fixture.schema);
  return RunningService.start(folder, {
    DATASOURCE_SHOP_URL: server.jdbcUrl(database),
    DATASOURCE_SHOP_USER: server.user,
    DATASOURCE_SHOP_PASSWORD: server.password,
  });
}

/** `name` distinguishes the folder and database from those of other tests. */
export async function startBookshop(
  name: string,
  kind: DatabaseKind,
  environment: Readonly<Record<string, string>> = {},
): Promise<Bookshop> {
  const fixture = serviceFixtures().find((found) => found.name === 'debug' && found.database === kind);
  if (fixture === undefined) throw new Error(`the fixture debug has no ${kind}`);
  const { files } = await compile(inputOf(fixture), readAssets(repository));
  if (files === undefined) throw new Error('the fixture debug does not compile');
  // Connect before the build, which blocks the event loop: a keep-alive connection would be closed meanwhile.
  const server = kind === 'postgresql' ? await sharedPostgres() : await sharedMariadb();
  const folder = buildServices(`test-page-${name}`, [{ name: kind, files }]).get(kind) ?? '';
  const database = `test_page_${name}`;
  await server.createDatabase(database);
  await server.exec(database, fixture.schema);
  await server.exec(database, readFileSync(join(repository, 'fixtures/services/debug/seed.sql'), 'utf8'));
  const thirdParty = await ThirdParty.start(
    playing([
      { request: 'GET /reviews/ratings/1?form=short', json: { stars: 5 } },
      { request: 'GET /reviews/ratings/2?form=short', status: 500, text: 'broken' },
      { request: 'POST /reviews/invitations', status: 400, json: {} },
    ]),
  );
  const service = await RunningService.start(folder, {
    DATASOURCE_SHOP_URL: server.jdbcUrl(database),
    DATASOURCE_SHOP_USER: server.user,
    DATASOURCE_SHOP_PASSWORD: server.password,
    DATASOURCE_REVIEWS_URL: `${thirdParty.url}/reviews`,
    AUTHENTICATION_CLERK_USER: clerk.user,
    AUTHENTICATION_CLERK_PASSWORD: clerk.password,
    ...environment,
  });
  return {
    service,
    stop: async () => {
      await service.stop();
      await thirdParty.stop();
    },
  };
}
