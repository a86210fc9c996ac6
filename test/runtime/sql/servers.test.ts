/** Tests of the private test servers. */
import { expect, test } from 'vitest';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';

test('a private PostgreSQL and a private MariaDB are there', async () => {
  const postgres = await sharedPostgres();
  await postgres.createDatabase('servers');
  expect(await postgres.exec('servers', 'select 1 as one; select current_database() as name')).toEqual([
    { name: 'servers' },
  ]);
  const mariadb = await sharedMariadb();
  await mariadb.createDatabase('servers');
  expect(await mariadb.exec('servers', 'select database() as name')).toEqual([{ name: 'servers' }]);
});
