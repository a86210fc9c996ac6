/** JDBC URLs as read by the compiler and the service. */
import { describe, expect, test } from 'vitest';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { harmlessOptions, readJdbcUrl } from '../../../runtime/sql/jdbc-url.js';
import { severalServers } from '../../../runtime/sql/several-servers.js';
import { driverDialect, parseJdbcUrl } from '../../../compiler/read/config/jdbc/jdbc-url.js';

/** The parts of a URL: kind, host, port, database, user, password. */
function read(url: string): string {
  const { problems, ...parsed } = parseJdbcUrl(url);
  expect(problems).toEqual([]);
  // The service reads the same parts without warnings.
  expect(readJdbcUrl(url)).toEqual({ ...parsed, ignored: [] });
  const { dialect, hosts, database, user, password } = parsed;
  return [dialect, ...hosts.flatMap(({ host, port }) => [host, port]), database, user, password]
    .map((part) => part ?? '-')
    .join(' ');
}

describe('the server and the database', () => {
  test.each([
    ['jdbc:postgresql://localhost/news', 'postgresql localhost 5432 news - -'],
    ['jdbc:postgresql://localhost:5433/news', 'postgresql localhost 5433 news - -'],
    ['jdbc:postgresql://db.example.org:5432/news', 'postgresql db.example.org 5432 news - -'],
    ['jdbc:postgresql://localhost/', 'postgresql localhost 5432 - - -'],
    ['jdbc:postgresql://localhost', 'postgresql localhost 5432 - - -'],
    ['jdbc:postgresql:news', 'postgresql localhost 5432 news - -'],
    ['jdbc:postgresql:/', 'postgresql localhost 5432 - - -'],
    ['jdbc:postgresql:', 'postgresql localhost 5432 - - -'],
    ['jdbc:postgresql:///news', 'postgresql localhost 5432 news - -'],
    ['JDBC:PostgreSQL://localhost/News', 'postgresql localhost 5432 News - -'],
    ['  jdbc:postgresql://localhost/news  ', 'postgresql localhost 5432 news - -'],
    ['jdbc:postgresql://[::1]/news', 'postgresql ::1 5432 news - -'],
    ['jdbc:postgresql://[fe80::1%eth0]:5433/news', 'postgresql fe80::1%eth0 5433 news - -'],
    ['jdbc:mysql://localhost/news', 'mysql localhost 3306 news - -'],
    ['jdbc:mysql://localhost:3307/news', 'mysql localhost 3307 news - -'],
    ['jdbc:mysql://[2001:db8::7]:3307/news', 'mysql 2001:db8::7 3307 news - -'],
    ['jdbc:mariadb://localhost/news', 'mysql localhost 3306 news - -'],
    ['jdbc:mariadb://10.0.0.1:3306/', 'mysql 10.0.0.1 3306 - - -'],
    ['jdbc:mysql://root:secret@h/news', 'mysql h 3306 news root secret'],
    ['jdbc:mysql://root@h/news', 'mysql h 3306 news root -'],
    ['jdbc:mysql://root:@h/news', 'mysql h 3306 news root '],
    ['jdbc:postgresql://u:p@h:5432/news', 'postgresql h 5432 news u p'],
    ['jdbc:postgresql://h/news?user=u&password=p', 'postgresql h 5432 news u p'],
    ['jdbc:postgresql://h/news?user=u&password=p%26q%3Dr', 'postgresql h 5432 news u p&q=r'],
    ['jdbc:postgresql://h/news?password=a+b', 'postgresql h 5432 news - a+b'],
    ['jdbc:postgresql://a:b@h/news?user=u&password=p', 'postgresql h 5432 news a b'],
    ['jdbc:mysql://u:p%40ss%2Fw%3Ard%231@h/news', 'mysql h 3306 news u p@ss/w:rd#1'],
    ['jdbc:mysql://u:p@ss@h/news', 'mysql h 3306 news u p@ss'],
    ['jdbc:mysql://u:p/ss@h/news', 'mysql h 3306 news u p/ss'],
    ['jdbc:mysql://u:a:b@h/news', 'mysql h 3306 news u a:b'],
    ['jdbc:postgresql://h/na%20me', 'postgresql h 5432 na me - -'],
    ['jdbc:postgresql://h/žluť', 'postgresql h 5432 žluť - -'],
    ['jdbc:postgresql:news?user=u', 'postgresql localhost 5432 news u -'],
    ['jdbc:postgresql://h:/news', 'postgresql h 5432 news - -'],
    ['jdbc:postgresql://h/news?', 'postgresql h 5432 news - -'],
    ['jdbc:postgresql://h/news?&user=u&', 'postgresql h 5432 news u -'],
    ['jdbc:postgresql://a,b/news', 'postgresql a 5432 b 5432 news - -'],
    ['jdbc:postgresql://a:5432,b:5433/news', 'postgresql a 5432 b 5433 news - -'],
    [
      'jdbc:postgresql://[::1]:5433,db.example.org,[2001:db8::7]/',
      'postgresql ::1 5433 db.example.org 5432 2001:db8::7 5432 - - -',
    ],
    ['jdbc:postgresql://u:p@s,s/w@a,b:5433/news', 'postgresql a 5432 b 5433 news u p@s,s/w'],
    ['jdbc:mysql://u:p@h1:3307,h2/news', 'mysql h1 3307 h2 3306 news u p'],
    ['jdbc:mariadb:sequential://h1,h2/news', 'mysql h1 3306 h2 3306 news - -'],
    ['jdbc:mariadb:failover://h1:3307,h2:3308/news', 'mysql h1 3307 h2 3308 news - -'],
    ['JDBC:MariaDB:LoadBalance://u:p@h1,h2', 'mysql h1 3306 h2 3306 - u p'],
    ['jdbc:mysql:loadbalance://h1/news', 'mysql h1 3306 news - -'],
  ])('%s', (url, expected) => {
    expect(read(url)).toBe(expected);
  });
});

describe('invalid URLs', () => {
  test.each([
    ['', 'does not name a supported database'],
    ['postgres://u:p@h/news', 'does not name a supported database'],
    ['jdbc:oracle:thin:@h:1521/x', 'does not name a supported database'],
    ['jdbc:sqlserver://h', 'does not name a supported database'],
    ['jdbc:constructor://h', 'does not name a supported database'],
    ['jdbc:mysql:h/news', "missing '//'"],
    ['jdbc:mysql:replication://a,b/news', "'replication:'"],
    ['jdbc:mariadb:aurora://a,b/news', "'aurora:'"],
    ['jdbc:postgresql:loadbalance://a,b/news', "'loadbalance:'"],
    ['jdbc:mysql:sequential:a,b/news', "'sequential:'"],
    ['jdbc:postgresql://a,,b/news', 'one of several hosts is empty'],
    ['jdbc:postgresql://a,/news', 'one of several hosts is empty'],
    ['jdbc:mysql://,b/news', 'one of several hosts is empty'],
    ['jdbc:postgresql://a:1,b:0/news', 'the port'],
    ['jdbc:postgresql://a,[::1/news', 'the host is malformed'],
    ['jdbc:postgresql://a,b/news?targetServerType=leader', "'targetServerType' has an unknown value"],
    ['jdbc:postgresql://a,b/news?targetServerType=', "'targetServerType' has an unknown value"],
    ['jdbc:mysql://address=(host=a)(port=1)/news', 'address='],
    ['jdbc:postgresql://h:port/news', 'the port'],
    ['jdbc:postgresql://h:0/news', 'the port'],
    ['jdbc:postgresql://h:70000/news', 'the port'],
    ['jdbc:postgresql://::1/news', 'the port'],
    ['jdbc:postgresql://[::1/news', 'the host is malformed'],
    ['jdbc:postgresql://h/a/b', "a '/'"],
    ['jdbc:mysql://u:secret?word@h/news', 'the port'],
    ['jdbc:mysql://u:se%cret@h/news', "a '%' in the password"],
    ['jdbc:postgresql://h/news?password=100%', "a '%' in an option"],
    ['jdbc:postgresql://h/news?sslmode=maybe', "'sslmode' has an unknown value"],
    ['jdbc:postgresql://h/news?sslmode=constructor', "'sslmode' has an unknown value"],
    ['jdbc:postgresql://h/news?connectTimeout=soon', "'connectTimeout' is not a whole number"],
    ['jdbc:postgresql://h/news?prepareThreshold=0&currentSchema=x', "'currentSchema' cannot be used"],
  ])('%s', (url, expected) => {
    const errors = parseJdbcUrl(url).problems.filter(({ severity }) => severity === 'error');
    expect(errors).toHaveLength(1);
    expect(errors[0]?.message).toContain(expected);
    expect(JSON.stringify(errors)).not.toMatch(/secret|word@/);
    const refused = startError(url);
    // The URL form of other tools is accepted at start, if it is set in the environment.
    expect(refused === undefined).toBe(url.startsWith('postgres://'));
    expect(refused ?? '').not.toMatch(/secret|word@/);
  });
});

describe('options', () => {
  test.each([
    ['sslmode=disable', { tls: 'off' }],
    ['sslmode=prefer', { tls: 'off' }],
    ['sslmode=require', { tls: 'encrypt' }],
    ['sslMode=REQUIRED', { tls: 'encrypt' }],
    ['sslmode=verify-ca', { tls: 'verify-ca' }],
    ['sslmode=verify-full', { tls: 'verify-full' }],
    ['ssl=true', { tls: 'verify-full' }],
    ['ssl=true&sslfactory=org.postgresql.ssl.NonValidatingFactory', { tls: 'encrypt' }],
    ['ssl=false', { tls: 'off' }],
    ['currentSchema=app,public', { currentSchema: 'app,public' }],
    ['ApplicationName=news%20service', { applicationName: 'news service' }],
    ['connectTimeout=3', { connectTimeout: 3000 }],
    ['connectTimeout=0', { connectTimeout: undefined }],
    ['loginTimeout=4', { connectTimeout: 4000 }],
    ['socketTimeout=5', { socketTimeout: 5000 }],
    ['prepareThreshold=0', { sessions: false }],
    ['prepareThreshold=5', { sessions: true }],
    ['tcpKeepAlive=true&stringtype=unspecified', {}],
    ['', { target: 'any', shuffled: false }],
    ['targetServerType=primary', { target: 'primary' }],
    ['TARGETSERVERTYPE=PREFERSECONDARY', { target: 'preferSecondary' }],
    ['targetServerType=master', { target: 'primary' }],
    ['targetServerType=preferSlave', { target: 'preferSecondary' }],
    ['loadBalanceHosts=true', { shuffled: true }],
    ['loadBalanceHosts=false', { shuffled: false }],
  ])('PostgreSQL: %s', (query, expected) => {
    const { options, problems } = parseJdbcUrl(`jdbc:postgresql://h/d?${query}`);
    expect(problems).toEqual([]);
    expect(options).toMatchObject(expected);
    expect(readJdbcUrl(`jdbc:postgresql://h/d?${query}`)).toMatchObject({ options, ignored: [] });
  });

  test.each([
    ['useSSL=false', { tls: 'off' }],
    ['useSSL=true', { tls: 'encrypt' }],
    ['useSSL=true&requireSSL=true&verifyServerCertificate=true', { tls: 'verify-full' }],
    ['sslMode=VERIFY_IDENTITY', { tls: 'verify-full' }],
    ['connectTimeout=3000', { connectTimeout: 3000 }],
    ['serverTimezone=UTC&useUnicode=true&characterEncoding=UTF-8&allowPublicKeyRetrieval=true', {}],
    ['autoReconnect=true&connectionTimeZone=%2B00:00&forceConnectionTimeZoneToSession=true', {}],
  ])('MySQL: %s', (query, expected) => {
    const { options, problems } = parseJdbcUrl(`jdbc:mysql://h/d?${query}`);
    expect(problems).toEqual([]);
    expect(options).toMatchObject(expected);
    expect(readJdbcUrl(`jdbc:mysql://h/d?${query}`)).toMatchObject({ options, ignored: [] });
  });

  test.each([
    ['allowMultiQueries=true', "'allowMultiQueries'"],
    ['serverTimezone=Europe/Berlin', 'another time zone than UTC'],
    ['multipleStatements=true', "'multipleStatements' is ignored"],
    ['sslrootcert=/etc/passwd', "'sslrootcert' is ignored"],
    ['options=-c%20x=y', "'options' is ignored"],
    ['__proto__=x', "'__proto__' is ignored"],
    ['a b=x', 'an option with a malformed name is ignored'],
  ])('a warning, and never for the driver: %s', (query, expected) => {
    const { problems } = parseJdbcUrl(`jdbc:mysql://h/d?${query}`);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.severity).toBe('warning');
    expect(problems[0]?.message).toContain(expected);
    // Names with an effect on Java drivers were checked when the service was built.
    const [name = ''] = query.split('=');
    const { options, ignored } = readJdbcUrl(`jdbc:mysql://h/d?${query}`);
    expect(options).toEqual(readJdbcUrl('jdbc:mysql://h/d').options);
    const shown = name === 'a b' ? 'one with a malformed name' : name;
    expect(ignored).toEqual(harmlessOptions.has(name.toLowerCase()) ? [] : [shown]);
  });
});

test('a factory of Java is none here', () => {
  const { problems } = parseJdbcUrl('jdbc:postgresql://h/d?ssl=true&sslfactory=com.example.Factory');
  expect(problems).toMatchObject([{ severity: 'warning', message: "the option 'sslfactory' is ignored" }]);
});

test('MariaDB’s and MySQL’s word for each connection to another host', () => {
  for (const read of [parseJdbcUrl, readJdbcUrl]) {
    expect(read('jdbc:mariadb:loadbalance://a,b/d').options.shuffled).toBe(true);
    expect(read('jdbc:mariadb:failover://a,b/d').options.shuffled).toBe(false);
  }
});

test('the code for several servers is loaded for each URL that names some, and for a replica', async () => {
  const loaded = (url: string, replicaUrl?: string): Promise<object | undefined> =>
    postgresOrMysql(url).load({ url, user: 'u', replicaUrl });
  const several = [
    'jdbc:postgresql://a,b/d',
    'jdbc:mariadb:loadbalance://a:1,b:2/d',
    'jdbc:postgresql://a/d?TargetServerType=primary',
    'jdbc:mysql://a/d?ssl=true&targetservertype=slave',
  ];
  for (const url of several) {
    expect(await loaded(url), url).toBe(severalServers);
    expect(() => postgresOrMysql(url).open({ url, user: 'u' }, undefined, severalServers), url).not.toThrow();
  }
  expect(await loaded('jdbc:postgresql://a/d', 'jdbc:postgresql://b/d')).toBe(severalServers);
  for (const url of ['jdbc:postgresql://a/d?sslmode=require', 'jdbc:postgresql://u:p,q@a/d'])
    expect(await loaded(url), url).toBeUndefined();
  // Errors in the URL are reported when it is opened.
  expect(await postgres({ name: 'main' }).load({ url: 'http://a,b/d' })).toBeUndefined();
});

test.each([
  ['postgres://u:p%40ss@h:5433/news', 'jdbc:postgresql://u:p%40ss@h:5433/news'],
  [
    ' PostgreSQL://h/news?sslmode=verify-full&connect_timeout=3&application_name=a-b_c ',
    'jdbc:postgresql://h/news?sslmode=verify-full&connectTimeout=3&ApplicationName=a-b_c',
  ],
  [
    'postgres://a,b:5433/news?targetServerType=primary',
    'jdbc:postgresql://a,b:5433/news?targetServerType=primary',
  ],
  ['mysql://u:p@h:25060/shop?ssl-mode=REQUIRED', 'jdbc:mysql://u:p@h:25060/shop?sslMode=REQUIRED'],
  ['mysql2://h/shop', 'jdbc:mysql://h/shop'],
  ['mariadb://h/shop', 'jdbc:mysql://h/shop'],
  ['postgres://u:a?b@h/news', 'jdbc:postgresql://u:a?b@h/news'],
])('%s is the URL %s', (url, jdbc) => {
  expect(outcomeOf(url)).toEqual(outcomeOf(jdbc));
});

function outcomeOf(url: string): unknown {
  return startError(url) ?? readJdbcUrl(url);
}

test.each(['postgres:h/news', 'http://h/news', 'postgis://h/news', 'redis://h', 'jdbc:postgres://h/news'])(
  '%s is no URL of a database',
  (url) => {
    expect(startError(url)).toContain('it is not of the form jdbc:');
  },
);

test('options in the other form that have no effect', () => {
  expect(readJdbcUrl('postgres://h/news?channel_binding=require&pgbouncer=true').ignored).toEqual([
    ...['channelbinding', 'pgbouncer'],
  ]);
});

function postgresOrMysql(url: string): DatabaseDatasource {
  return (readJdbcUrl(url).dialect === 'mysql' ? mysql : postgres)({ name: 'main' });
}

/** The error with which the service refuses to start; undefined if it starts. */
function startError(url: string): string | undefined {
  try {
    readJdbcUrl(url);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

test('the driver names the kind of database', () => {
  expect(driverDialect('org.postgresql.Driver')).toBe('postgresql');
  expect(driverDialect('PG')).toBe('postgresql');
  for (const driver of [
    'com.mysql.jdbc.Driver',
    'com.mysql.cj.jdbc.Driver',
    'org.mariadb.jdbc.Driver',
    'mysql2',
  ]) {
    expect(driverDialect(driver)).toBe('mysql');
  }
  expect(driverDialect('oracle.jdbc.OracleDriver')).toBeUndefined();
  expect(driverDialect('constructor')).toBeUndefined();
});
