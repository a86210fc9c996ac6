/** The time of MySQL and MariaDB in an hour that exists twice: the end of daylight saving time in the time zone of a session. */
import { expect, test } from 'vitest';
import { mysqlNow } from '../../../runtime/sql/mysql-now.js';
import { sharedMariadb } from '../../helpers/shared-servers.js';

/** Seconds since 1970 at the end of daylight saving time, 2026-10-25 03:00 in Berlin. */
const end = 1_792_890_000;
const zone = 9_901;

/** The server has no time zones with names until they are added. */
const zones = [
  `insert ignore into mysql.time_zone values (${zone}, 'N')`,
  `insert ignore into mysql.time_zone_name values ('Test/Berlin', ${zone})`,
  `insert ignore into mysql.time_zone_transition values (${zone}, 1774746000, 0), (${zone}, ${end}, 1)`,
  `insert ignore into mysql.time_zone_transition_type values (${zone}, 0, 7200, 1, 'CEST'), (${zone}, 1, 3600, 0, 'CET')`,
];

test('differs in both of the hours', async () => {
  const server = await sharedMariadb();
  await server.createDatabase('mysql_now');
  for (const statement of zones) await server.exec('mysql_now', statement);
  const at = async (seconds: number): Promise<number> => {
    const [row] = await server.exec(
      'mysql_now',
      `set statement time_zone = 'Test/Berlin', timestamp = ${seconds} for select ${mysqlNow} as now`,
    );
    return Number(row?.['now']);
  };
  expect([await at(end - 1800), await at(end + 1800)]).toEqual([(end - 1800) * 1000, (end + 1800) * 1000]);
});
