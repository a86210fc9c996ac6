/** The status for each database error. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres as postgresDatasource } from '../../../runtime/postgres/postgres.js';
import type { Json } from '../../../runtime/handler/json.js';
import { refusedValue, type Failure } from '../../../runtime/sql/failure.js';
import { violates } from '../../../runtime/sql/violates.js';
import { mysqlFailure } from '../../../runtime/mysql/failure.js';
import { postgresFailure, refusedElement } from '../../../runtime/postgres/failure.js';
import { freePort } from '../../helpers/free-port.js';
import { testCall } from '../../helpers/test-call.js';
import { openMariadb, openPostgres, read, update, type TestDatasource } from './open-datasource.js';

let postgres: TestDatasource;
let mariadb: TestDatasource;

const tables = `
  create table parent (id int primary key);
  create table child (id int primary key, parent int references parent(id), n int not null check (n > 0), name varchar(5), e smallint)`;

beforeAll(async () => {
  [postgres, mariadb] = await Promise.all([openPostgres('failures'), openMariadb('failures')]);
  await postgres.server.exec(
    'failures',
    `${tables}; insert into parent values (1), (2); insert into child values (5, 2, 1, 'x', 1); create table doc (j jsonb); create table title (t text unique);
     create function refuse(v text) returns int language plpgsql as $$ begin raise exception 'Order of % is closed', v; end $$;
     create function rule() returns trigger language plpgsql as $$ begin raise exception 'Rule of %', new.t; end $$;
     create constraint trigger late after update on title deferrable initially deferred for each row execute function rule();
     insert into title values ('a');
     create table room (during int4range, exclude using gist (during with &&)); insert into room values ('[1,5)');
     create function claim() returns trigger language plpgsql as $$ begin
       raise unique_violation using constraint = new.t; end $$;
     create table claimed (t text); create trigger claim before insert on claimed for each row execute function claim()`,
  );
  await mariadb.server.exec(
    'failures',
    `${tables.replace('references parent(id)', ', foreign key (parent) references parent(id)')}; insert into parent values (1), (2);
     insert into child values (5, 2, 1, 'x', 1);
     create table doc (j json);
     create function refuse(v text) returns int begin declare m text default concat('Order of ', v, ' is closed');
       signal sqlstate '45000' set message_text = m; return 1; end;
     create table page (t text, fulltext (t)) engine = innodb;
     create table named (t varchar(40), unique named_t (t)); insert into named values ('x'' for key ''fake')`,
  );
});

afterAll(async () => {
  await Promise.all([postgres, mariadb].map(({ datasource }) => datasource.close(performance.now() + 1000)));
});

/** The error that ends a run. */
async function errorOf(run: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ServiceError) return error;
  throw new Error('no ServiceError', { cause: error });
}

const secret = 'canary-73';

/** SQL, values, status, and the code in the log. */
type Case = readonly [sql: string, values: readonly Json[], status: number, code: string | number];

const insert = 'insert into child (id, parent, n, name, e) values ';

const postgresCases: readonly Case[] = [
  ['select $1::text::bigint', [secret], 400, '22P02'],
  ['select $1::text::bigint', ['99999999999999999999'], 400, '22003'],
  ['select $1::text::jsonb', ['{'], 400, '22P02'],
  ['select $1::jsonb', [{ a: '\0' }], 400, '22P05'],
  ['select $1::date', ['2024-02-30'], 400, '22008'],
  ['select 1 limit $1', [-1], 400, '2201W'],
  ['select 1 / $1::int', [0], 400, '22012'],
  [`${insert}(1, 1, 1, $1, 1)`, [secret], 400, '22001'],
  ['insert into parent values ($1)', [1], 409, '23505'],
  [`${insert}(1, $1, 1, 'x', 1)`, [77], 409, '23503'],
  [`${insert}(1, 1, $1, 'x', 1)`, [null], 400, '23502'],
  [`${insert}(1, 1, $1, 'x', 1)`, [-5], 400, '23514'],
  [`${insert}(1, 1, 1, 'x', $1), (2, 1, 0, 'x', 1)`, [1], 400, '23514'],
  ['select nope from parent where id = $1', [1], 500, '42703'],
  ['selec $1', [1], 500, '42601'],
  ['select * from nowhere where id = $1', [1], 500, '42P01'],
  ["select jsonb_path_exists('1', $1)", ['2026-03-01'], 400, '42601'],
  ["select '1'::jsonb @? $1", ['abc def'], 400, '42601'],
  ["select 'a' @@ to_tsquery($1)", ['a b'], 400, '42601'],
  ["select 'a' @@ to_tsquery($1)", ["'"], 400, '42601'],
  ["select 'a' @@ to_tsquery($1)", ['a & & b'], 400, '42601'],
  ["select 'a' ~ $1", ['('], 400, '2201B'],
  ["select repeat('a', $1)::tsquery", [3_000], 400, '54000'],
  [
    "insert into title select string_agg(md5(random()::text), '') from generate_series(1, $1)",
    ...([[400], 400, '54000'] as const),
  ],
  ["do $$ begin raise exception 'own'; end $$", [], 400, 'P0001'],
  ["do $$ begin raise exception 'own' using errcode = 'PT404'; end $$", [], 404, 'PT404'],
  ["do $$ begin raise exception 'own' using errcode = 'PT503'; end $$", [], 500, 'PT503'],
  ["do $$ begin raise exception 'own' using errcode = 'U0001'; end $$", [], 500, 'U0001'],
  ["do $$ begin raise exception 'own' using errcode = 'unique_violation'; end $$", [], 409, '23505'],
  ['select refuse($1)', [secret], 400, 'P0001'],
  ['select 1; select 2', [], 500, '42601'],
];

const mariadbCases: readonly Case[] = [
  [`${insert}(?, 1, 1, 'x', 1)`, [secret], 400, 1366],
  [`${insert}(?, 1, 1, 'x', 1)`, ['99999999999999999999'], 400, 1264],
  [`${insert}(1, 1, 1, ?, 1)`, [secret], 400, 1406],
  ['insert into doc values (?)', ['{'], 400, 4025],
  ['insert into parent values (?)', [1], 409, 1062],
  [`${insert}(1, ?, 1, 'x', 1)`, [77], 409, 1452],
  [`${insert}(1, 1, ?, 'x', 1)`, [null], 400, 1048],
  ['insert into child (id) values (?)', [9], 400, 1364],
  [`${insert}(1, 1, ?, 'x', 1)`, [-5], 400, 4025],
  ['select nope from parent where id = ?', [1], 500, 1054],
  ['selec ?', [1], 500, 1064],
  ['select * from nowhere where id = ?', [1], 500, 1146],
  ["select 'a' regexp ?", ['('], 400, 1139],
  ['select t from page where match (t) against (? in boolean mode)', ['('], 400, 1064],
  ['select t from page where match (t) against (? in boolean mode)', ['+"'], 400, 1064],
  ["signal sqlstate '45000' set message_text = 'own'", [], 400, 1644],
  ["signal sqlstate '45000' set message_text = 'own', mysql_errno = 31001", [], 400, 31001],
  ["signal sqlstate 'PT404' set message_text = 'own'", [], 404, 1644],
  ["signal sqlstate 'PT503' set message_text = 'own'", [], 500, 1644],
  ["signal sqlstate '23000' set message_text = 'own'", [], 409, 1644],
  ['select refuse(?)', [secret], 400, 1644],
  ['select 1; select 2', [], 500, 1064],
];

describe.each([
  { name: 'PostgreSQL', source: () => postgres, cases: postgresCases },
  { name: 'MariaDB', source: () => mariadb, cases: mariadbCases },
])('$name', ({ source, cases }) => {
  test.each(cases)('%s with %j is %i', async (sql, values, status, code) => {
    const error = await errorOf(update(source().datasource, sql, values));
    expect(error.status).toBe(status);
    expect(error.details.log).toMatchObject({
      operation: 'POST /test',
      fulfillment: 'change',
      datasource: 'testdb',
      code,
    });
    // The caller receives only a generic message, and the log contains no values.
    expect(error.message).not.toMatch(/select|insert|parent|child|canary/i);
    expect(JSON.stringify(error.details.log)).not.toContain(secret);
  });

  test('the message of a rule is in the log, without the values of the statement', async () => {
    const sql = source() === postgres ? 'select refuse($1)' : 'select refuse(?)';
    const error = await errorOf(read(source().datasource, sql, [secret]));
    expect([error.status, error.message]).toEqual([400, 'The database refuses the request']);
    expect(error.details).toMatchObject({ level: 'info', log: { reason: 'Order of *** is closed' } });
  });

  test('a text with half a surrogate pair is 400', async () => {
    const sql = source() === postgres ? 'select $1::text' : 'select ?';
    expect((await errorOf(read(source().datasource, sql, ['\ud83d']))).status).toBe(400);
  });

  test('an error leaves the connection in use', async () => {
    const { datasource } = source();
    const id = source() === postgres ? 'select pg_backend_pid() as id' : 'select connection_id() as id';
    const before = await read(datasource, id);
    await errorOf(read(datasource, 'select nope from parent'));
    expect(await read(datasource, id)).toEqual(before);
  });
});

test.each([
  ['the password is wrong', { password: 'wrong' }],
  ['the user is not known', { user: 'nobody' }],
  ['the database is not there', { database: 'nowhere' }],
  ['nobody listens', { port: true }],
])(
  '503 with Retry-After, and nothing of it for the caller, when %s',
  async (_, change: Record<string, unknown>) => {
    const port = await freePort();
    for (const { server, make } of [
      { server: postgres.server, make: postgresDatasource },
      { server: mariadb.server, make: mysql },
    ]) {
      const datasource = make({ name: 'away' });
      const url = server.jdbcUrl(typeof change['database'] === 'string' ? change['database'] : 'failures');
      datasource.open({
        url: change['port'] === true ? url.replace(/:\d+/, `:${port}`) : url,
        user: typeof change['user'] === 'string' ? change['user'] : server.user,
        password: typeof change['password'] === 'string' ? change['password'] : server.password,
      });
      const error = await errorOf(read(datasource, 'select 1'));
      expect([error.status, error.message, error.details.retryAfter]).toEqual([
        503,
        'The database is not available',
        1,
      ]);
      await expect(datasource.ping()).rejects.toMatchObject({ status: 503 });
      await datasource.close(performance.now() + 1000);
    }
  },
);

test('a URL that is wrong, or of the other kind, is a start error that holds no secret', () => {
  const start = (url: string) => () => postgresDatasource({ name: 'newsdb' }).open({ url, user: 'u' });
  expect(start('jdbc:mysql://h/d')).toThrow('the service was built for PostgreSQL');
  expect(start('http://u:hidden@h/d')).toThrow(/^the URL cannot be used: (?!.*hidden)/);
  expect(() => mysql({ name: 'newsdb' }).open({ url: 'jdbc:mysql://h/d' })).toThrow('the user is missing');
});

test('options that are ignored are warnings of the start', async () => {
  const datasource = mysql({ name: 'newsdb' });
  const warnings = datasource.open({
    url: 'jdbc:mysql://h/d?allowLoadLocalInfile=true&autoReconnect=true',
    user: 'u',
  });
  expect(warnings).toEqual(['Options of the URL have no effect: allowLoadLocalInfile.']);
  await datasource.close(0);
});

test('MERGE … RETURNING runs without RETURNING on a server that does not know it', async () => {
  const { datasource } = postgres;
  const merge =
    'merge into parent p using (select $1::int as id) s on p.id = s.id when not matched then insert values (s.id)';
  const statement = datasource.update({
    operation: 'PUT /parent',
    fulfillment: 'parent',
    sql: merge,
    returning: 'returning *',
  });
  for (const id of [50, 51]) expect([[], [{ id }]]).toContainEqual(await statement(testCall(), [id]));
  expect(await read(datasource, 'select count(*) as n from parent where id >= 50')).toEqual([{ n: 2 }]);
});

/** The logged names of the constraint, and where the log entry appears. */
test.each<readonly [kind: 'PostgreSQL' | 'MariaDB', sql: string, value: Json, log: Record<string, string>]>([
  ['PostgreSQL', 'insert into parent values ($1)', 1, { table: 'parent', constraint: 'parent_pkey' }],
  ['PostgreSQL', `${insert}(1, $1, 1, 'x', 1)`, 77, { table: 'child', constraint: 'child_parent_fkey' }],
  ['PostgreSQL', `${insert}(1, 1, $1, 'x', 1)`, null, { table: 'child', column: 'n' }],
  ['PostgreSQL', `${insert}(1, 1, $1, 'x', 1)`, -5, { table: 'child', constraint: 'child_n_check' }],
  ['PostgreSQL', 'delete from parent where id = $1', 2, { table: 'child', constraint: 'child_parent_fkey' }],
  ['MariaDB', 'insert into parent values (?)', 1, { constraint: 'PRIMARY' }],
  ['MariaDB', 'insert into named (t) values (?)', "x' for key 'fake", { constraint: 'named_t' }],
  [
    'MariaDB',
    `${insert}(1, ?, 1, 'x', 1)`,
    77,
    { table: 'child', column: 'parent', constraint: 'child_ibfk_1' },
  ],
  ['MariaDB', `${insert}(1, 1, ?, 'x', 1)`, null, { column: 'n' }],
  ['MariaDB', `${insert}(1, 1, ?, 'x', 1)`, -5, { table: 'child', constraint: 'child.n' }],
  ['MariaDB', 'insert into child (id) values (?)', 9, { column: 'n' }],
  [
    'MariaDB',
    'delete from parent where id = ?',
    2,
    { table: 'child', column: 'parent', constraint: 'child_ibfk_1' },
  ],
])('%s: %s with %j names what it breaks', async (kind, sql, value, log) => {
  const { datasource } = kind === 'PostgreSQL' ? postgres : mariadb;
  const error = await errorOf(update(datasource, sql, [value]));
  const { code, operation, fulfillment, datasource: name, ...names } = error.details.log ?? {};
  expect([operation, fulfillment, name]).toEqual(['POST /test', 'change', 'testdb']);
  expect(code).toBeDefined();
  expect(names).toEqual(log);
  expect(error.details.level).toBe('info');
  expect(error.message).toBe(
    error.status === 409
      ? 'The change conflicts with existing data'
      : 'The database does not accept a value of the request',
  );
});

test('a trigger that raises such an error itself puts nothing of its own into the log', async () => {
  const raise = `do $$ begin raise exception 'x' using errcode = '23505', table = '${secret}', column = 'a'; end $$`;
  const error = await errorOf(update(postgres.datasource, raise));
  expect(error.status).toBe(409);
  expect(JSON.stringify(error.details.log)).not.toContain(secret);
});

/** Errors that are hard to cause, as reported by the drivers. */
test.each([
  ['57014', 'timeout', ''],
  ['57P01', 'unavailable', 'ended'],
  ['57P03', 'unavailable', 'ended'],
  ['25P03', 'unavailable', 'ended'],
  ['53300', 'unavailable', ''],
  ['40001', 'conflict', ''],
  ['40P01', 'conflict', ''],
  ['40003', 'unavailable', 'unreported'],
  ['55P03', 'conflict', 'final'],
  ['25006', 'unavailable', 'ended'],
  ['08006', 'unavailable', 'unreported'],
  ['08P01', 'unexpected', ''],
  ['23P01', 'integrity', ''],
  ['44000', 'bad-value', ''],
  ['XX000', 'unexpected', ''],
  ['42501', 'unexpected', ''],
])('PostgreSQL: SQLSTATE %s is %s', (code, kind, aftermath) => {
  const error = Object.assign(new Error('x'), { code, severity: 'ERROR', routine: 'f' });
  expect(outcomeOf(postgresFailure(error, 'select 1'))).toEqual([kind, aftermath]);
});

test.each([
  ['the server', 'x', 'errfinish', 'ended'],
  ['PgBouncer, before it has sent anything', 'query_wait_timeout', undefined, 'ended'],
  ['PgBouncer, which has lost the server', 'server conn crashed?', undefined, 'lost'],
])('FATAL means that the connection is gone, whatever the code: %s', (_, message, routine, aftermath) => {
  for (const code of ['08P01', 'XX000', '57014']) {
    const error = Object.assign(new Error(message), { code, severity: 'FATAL', routine });
    expect(outcomeOf(postgresFailure(error, 'select 1'))).toEqual(['unavailable', aftermath]);
  }
});

test.each<[source: string, at: string, name: string, fault: object]>([
  ['param.id', '', "parameter 'id'", { in: 'parameter', name: 'id', pointer: null }],
  ['query.from', '', "query parameter 'from'", { in: 'query', name: 'from', pointer: null }],
  ['header.x-count', '', "header 'x-count'", { in: 'header', name: 'x-count', pointer: null }],
  ['cookie.size', '', "cookie 'size'", { in: 'cookie', name: 'size', pointer: null }],
  ['body', '', 'the body', { in: 'body', name: 'body', pointer: '' }],
  ['body.a.b', '', "body field 'a.b'", { in: 'body', name: 'b', pointer: '/a/b' }],
  [
    ...(['body.lines[].price', '[1]', "body field 'lines[1].price'"] as const),
    { in: 'body', name: 'price', pointer: '/lines/1/price' },
  ],
])('a refused value of %s%s is called what the client calls it', (source, at, name, fault) => {
  const failure: Failure = { kind: 'bad-value', value: { index: 0, at, expected: 'an integer' } };
  const message = 'does not fit: expected an integer';
  expect(refusedValue(failure, source)).toEqual({
    message: `The value of ${name} ${message}`,
    fault: { ...fault, message },
  });
});

test.each<[Json, string | undefined]>([
  [{ a: [1, { b: 'x' }] }, '.a[1].b'],
  // A key with a line break would be unreadable in a message.
  [{ 'a\nb': { c: 'x' } }, '.c'],
  [{ a: 'x', b: 'x' }, undefined],
  [{ a: null }, undefined],
  ['x', undefined],
])('the element that PostgreSQL quotes is at one place of %j: %s', (value, at) => {
  const error = Object.assign(new Error('invalid input syntax for type integer: "x"'), {
    routine: 'pg_strtoint32_safe',
  });
  expect(refusedElement(error, value)?.at).toBe(at);
});

test.each([
  ['select missing()', 'FUNCTION lab.missing does not exist'],
  // The procedure may have built a statement from values.
  [' CALL made()', undefined],
])('MySQL: the reason why the statement %j is invalid', (sql, reason) => {
  const error = Object.assign(new Error('FUNCTION lab.missing does not exist'), {
    ...{ errno: 1305, sqlState: '42000', code: 'ER_SP_DOES_NOT_EXIST' },
  });
  expect(mysqlFailure(error, sql).reason).toBe(reason);
});

test('the hint about poolers is printed for the one error that it helps against', () => {
  const reasonOf = (message: string) =>
    postgresFailure(Object.assign(new Error(message), { code: '08P01', severity: 'FATAL' }), undefined)
      .reason;
  expect(reasonOf('unsupported startup parameter: options')).toContain('prepareThreshold=0');
  expect(reasonOf('no more connections allowed (max_client_conn)')).not.toContain('prepareThreshold');
});

test.each([
  [1020, 'HY000', 'conflict', ''],
  [1205, 'HY000', 'conflict', ''],
  [1213, '40001', 'conflict', ''],
  [3572, 'HY000', 'conflict', 'final'],
  [1180, 'HY000', 'unavailable', 'unreported'],
  [1040, '08004', 'unavailable', 'ended'],
  [1053, '08S01', 'unavailable', 'ended'],
  [1927, '70100', 'unavailable', 'ended'],
  [1290, 'HY000', 'unavailable', 'ended'],
  [1969, '70100', 'timeout', ''],
  [3024, 'HY000', 'timeout', ''],
  [3140, '22032', 'bad-value', ''],
  [3143, '42000', 'bad-value', ''],
  [3819, 'HY000', 'bad-value', ''],
  [1142, '42000', 'unexpected', ''],
])('MySQL: error %i is %s %s', (errno, sqlState, kind, aftermath) => {
  const error = Object.assign(new Error('x'), { errno, sqlState, code: 'ER_X' });
  expect(outcomeOf(mysqlFailure(error, 'select 1'))).toEqual([kind, aftermath]);
});

test.each([
  ['ECONNRESET', 'read ECONNRESET', 'lost'],
  ['PROTOCOL_CONNECTION_LOST', 'Connection lost', 'lost'],
  [undefined, "Can't add new command when connection is in closed state", 'ended'],
  ['ERR_X', 'x', 'broken'],
])('MySQL: %s, %s', (code, message, aftermath) => {
  const failure = mysqlFailure(Object.assign(new Error(message), { code }), 'select 1');
  expect(outcomeOf(failure)).toEqual([aftermath === 'broken' ? 'unexpected' : 'unavailable', aftermath]);
});

function outcomeOf({ kind, aftermath }: Failure): [kind: string, aftermath: string] {
  return [kind, aftermath ?? ''];
}

describe('the violated constraint', () => {
  test.each([
    ['PostgreSQL', `${insert}(1, $1, 1, 'x', 1)`, 77, 'child_parent_fkey'],
    ['PostgreSQL', `${insert}(1, 1, $1, 'x', 1)`, -5, 'child_n_check'],
    ['PostgreSQL', 'insert into room values ($1::int4range)', '[2,3)', 'room_during_excl'],
    ['PostgreSQL', 'insert into title values ($1)', 'a', 'title_t_key'],
    ['MariaDB', 'insert into parent values (?)', 1, 'PRIMARY'],
    ['MariaDB', 'insert into named (t) values (?)', "x' for key 'fake", 'named_t'],
    ['MariaDB', `${insert}(1, ?, 1, 'x', 1)`, 77, 'child_ibfk_1'],
    ['MariaDB', 'delete from parent where id = ?', 2, 'child_ibfk_1'],
    ['MariaDB', `${insert}(1, 1, ?, 'x', 1)`, -5, 'n'],
  ])('%s: %s with %j', async (kind, sql, value, constraint) => {
    const { datasource } = kind === 'PostgreSQL' ? postgres : mariadb;
    const error = await errorOf(update(datasource, sql, [value]));
    expect(violates(error, constraint)).toBe(true);
    for (const other of [`${constraint}2`, constraint.slice(1), 'fake', '', '__proto__'])
      expect(violates(error, other), other).toBe(false);
  });

  test('PostgreSQL: what a trigger raises names no constraint, because it may be a value', async () => {
    const error = await errorOf(
      update(postgres.datasource, 'insert into claimed values ($1)', ['title_t_key']),
    );
    expect(error.status).toBe(409);
    expect(violates(error, 'title_t_key')).toBe(false);
  });

  test.each([
    // MySQL 8.0.19 and later name the table.
    [1062, '23000', "Duplicate entry 'a' for key 'link.link_slug_key'", 'link_slug_key'],
    [1062, '23000', "Duplicate entry 'x' for key 'fake'' for key 'link.slug'", 'slug'],
    [1062, '23000', "Duplicate entry 'x\n' for key 'fake'\n' for key 'slug'", 'slug'],
    [3819, 'HY000', "Check constraint 'link_visits_check' is violated.", 'link_visits_check'],
  ])('%i %s %s', (errno, sqlState, message, constraint) => {
    const { violated = [] } = mysqlFailure(Object.assign(new Error(message), { errno, sqlState }), 'insert');
    expect(violated).toContain(constraint);
    expect(violated).not.toContain('fake');
  });

  test('a message that is cut off names none', () => {
    const message = "Duplicate entry 'x' for key 'fake'...' for key 'link_sl";
    const failure = mysqlFailure(
      Object.assign(new Error(message), { errno: 1062, sqlState: '23000' }),
      'insert',
    );
    expect(failure.violated).toBeUndefined();
  });
});
