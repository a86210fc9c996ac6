/** Options that stand in many database URLs and ask for what is done anyway: silent then, a warning otherwise. */
import type { JdbcProblem } from './jdbc-problem.js';

type Warning = Omit<JdbcProblem, 'severity'>;

/** What is to be said of the value; undefined when it asks for what is done anyway. */
type Judge = (value: string) => Warning | undefined;

/** Lower-case name to judge. */
export const ordinaryOptions: Readonly<Record<string, Judge>> = {
  servertimezone: timeZone('serverTimezone'),
  connectiontimezone: timeZone('connectionTimeZone'),
  timezone: timeZone('timezone'),
  forceconnectiontimezonetosession: () => undefined,
  uselegacydatetimecode: () => undefined,
  usejdbccomplianttimezoneshift: () => undefined,
  characterencoding: only(
    'characterEncoding',
    ['utf8', 'utf-8', 'utf8mb4'],
    'Texts are always sent and read as UTF-8.',
  ),
  charset: only('charset', ['utf8', 'utf-8', 'utf8mb4'], 'Texts are always sent and read as UTF-8.'),
  useunicode: only('useUnicode', ['true', 'yes'], 'Texts are always sent and read as UTF-8.'),
  allowpublickeyretrieval: only(
    'allowPublicKeyRetrieval',
    ['true'],
    'The key of the server is asked for where the log-in needs it; sslmode=verify-full keeps others from answering.',
  ),
  autoreconnect: only('autoReconnect', ['true'], 'Lost connections are always replaced.'),
  tcpkeepalive: only('tcpKeepAlive', ['true'], 'Connections are always kept alive.'),
  useserverprepstmts: only('useServerPrepStmts', ['true'], 'Statements are always prepared on the server.'),
  cacheprepstmts: only('cachePrepStmts', ['true'], 'Prepared statements are always kept.'),
  preparethreshold: () => undefined,
  stringtype: only('stringtype', ['unspecified'], 'The database always decides which type a value has.'),
  tinyint1isbit: only('tinyInt1isBit', ['true'], 'TINYINT(1) is always true or false.'),
  yearisdatetype: only('yearIsDateType', ['false'], 'YEAR is always a number.'),
  useaffectedrows: only(
    'useAffectedRows',
    ['false'],
    'affected_rows always counts the rows that were found, changed or not.',
  ),
  allowmultiqueries: only('allowMultiQueries', ['false'], 'A query is always one statement.'),
};

function only(name: string, values: readonly string[], what: string): Judge {
  return (value) =>
    values.includes(value.toLowerCase())
      ? undefined
      : { message: `the option '${name}' has no effect with this value`, hint: what };
}

const utc = new Set([
  'utc',
  'gmt',
  'z',
  'etc/utc',
  'etc/gmt',
  '+00:00',
  '+0',
  '+0:00',
  'utc+0',
  'gmt+0',
  'zulu',
]);

/** Sessions are always in UTC (decisions 2: an answer is the same on every machine). */
function timeZone(name: string): Judge {
  return (value) =>
    utc.has(value.toLowerCase())
      ? undefined
      : {
          message: `the option '${name}' names another time zone than UTC and is ignored`,
          hint: 'The service always talks to the database in UTC: timestamps with a zone are answered in UTC, those without one as they are stored, and now() in SQL is UTC.',
        };
}
