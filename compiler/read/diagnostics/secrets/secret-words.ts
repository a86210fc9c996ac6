/** Names that classify a value: a secret, or a known field that may be shown. */
import { nearest } from '../suggest.js';

/** The words of a name: `X-Api-Key`, `apiKey` and `api_key` are `api`, `key`. */
function wordsOf(name: string): string[] {
  return name
    .slice(0, 100)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

const secretEnds = new Set([
  ...['password', 'passwort', 'passwd', 'passphrase', 'pwd', 'secret', 'token', 'appid', 'authorization'],
  ...['apikey', 'appkey', 'accesskey', 'authkey', 'secretkey', 'privatekey', 'clientkey', 'credential'],
  'credentials',
]);

/** Whether the name ends as names of secrets do; `passengers`, `tokens` and `Cookie-Consent` do not. */
function endsAsSecret(name: string): boolean {
  const words = wordsOf(name);
  return secretEnds.has(words.at(-1) ?? '') || secretEnds.has(words.slice(-2).join(''));
}

/** True for a field of the configuration whose value is not to be shown, also when its name is misspelt. */
export function isSecretField(field: string): boolean {
  const isLicence = ['licence', 'license'].includes(wordsOf(field).at(-1) ?? '');
  return (
    endsAsSecret(field) || isLicence || nearest(field, ['password', 'licence', 'pass', 'pwd']) !== undefined
  );
}

/** True for a parameter of a URL's query whose constant value looks like a secret. */
export function isSecretOption(name: string): boolean {
  return endsAsSecret(name) || /^(?:key|pass)$/i.test(name);
}

/** True for a column of a database that holds a secret, or what is derived from one. */
export function isSecretColumn(name: string): boolean {
  return (
    endsAsSecret(name.replace(/_?(?:hash|hashed|digest|salt|encrypted)$/i, '')) ||
    /^(?:pass|salt)$/i.test(name)
  );
}

/** True for a header whose constant value looks like a secret. */
export function isSecretHeader(name: string): boolean {
  return endsAsSecret(name) || /^(?:set-)?cookie$/i.test(name);
}

/** The sections of the configuration: what is below the last three is not shown. */
export const sections = ['specification', 'operations', 'datasources', 'authentications', 'settings'];

/** The fields below the sections that are not shown (decisions 5.9, 6.1, 9.4, 9.7). */
const secretSectionFields = [
  ...['type', 'url', 'user', 'password', 'driver', 'pool', 'timeout', 'header', 'min', 'max', 'debug'],
  'licence',
];

const otherSpellings = new Set([
  ...['username', 'login', 'usr', 'pass', 'pwd', 'secret', 'uri', 'jdbcurl', 'jdbc', 'endpoint', 'baseurl'],
  ...['kind', 'headers', 'license', 'value', 'key', 'host', 'port', 'database', 'size', 'minimum', 'maximum'],
  ...['minidle', 'minimumidle', 'minpoolsize', 'minsize', 'maxpoolsize', 'maximumpoolsize', 'maxsize'],
  ...['maxactive', 'maxidle', 'maxlifetime', 'idletimeout', 'connectiontimeout', 'connectionlimit'],
  ...['driverclassname', 'driver-class-name'],
]);

/** True for a key below those sections that is a known field, or nearly one: it may be shown. */
export function isKnownKey(key: string): boolean {
  const name = key.toLowerCase();
  return otherSpellings.has(name) || (name.length <= 12 && nearest(name, secretSectionFields) !== undefined);
}

const values = new Set([
  ...[
    'db',
    'rest',
    'basicauth',
    'basic',
    'basic-auth',
    'basic_auth',
    'http-basic',
    'bearer',
    'true',
    'false',
  ],
  ...['database', 'sql', 'jdbc', 'postgres', 'postgresql', 'mysql', 'mariadb', 'http', 'https', 'api'],
  ...['org.postgresql.driver', 'com.mysql.cj.jdbc.driver', 'com.mysql.jdbc.driver', 'pg', 'mysql2'],
  ...['org.mariadb.jdbc.driver', 'digest', 'oauth', 'oauth2', 'openid', 'jwt', 'ldap', 'saml', 'apikey'],
  ...['sqlite', 'oracle', 'sqlserver', 'mssql', 'mongodb', 'mongo', 'redis', 'h2', 'graphql', 'soap', 'grpc'],
]);

/** The class of a driver, as its makers name it. */
const driverClass =
  /^(?:org\.sqlite|org\.postgres|org\.h2|oracle\.jdbc|com\.microsoft\.sqlserver\.jdbc|com\.ibm\.db2\.jcc|org\.hsqldb|org\.postgresql|com\.mysql|org\.mariadb)(?:\.[a-z]{1,12}){0,4}\.(?:JDBC|\w{0,20}Driver)$/i;

/** True for a value that only names a kind of thing, and so is not a secret. */
export function isKnownValue(value: string): boolean {
  return values.has(value.toLowerCase()) || driverClass.test(value);
}
