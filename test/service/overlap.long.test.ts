/**
 * Overlapping reads are not observable: random operations have the same responses, the same changes and the same statements in the same
 * order on a service that sends reads ahead and on one that does not.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseServer, KeptConnection } from '../helpers/database-server.js';
import { startMariadb } from '../helpers/mariadb-server.js';
import { startPostgres } from '../helpers/postgres-server.js';
import { RunningService } from '../helpers/running-service.js';
import { buildServices } from '../helpers/service-build.js';
import type { DatabaseKind } from '../helpers/service-fixture.js';
import { filesOf } from '../emit/compile-text.js';
import { overlappingConfig } from './overlap-configs.js';
import { ask, type HttpResponse } from './services.js';

const operations = 40;
const rounds = 5;
const seed = Number(process.env.OVERLAP_SEED ?? 4711);

/** With so few connections, none is shared, and no read is sent ahead. */
const sides = { ahead: {}, plain: { DATASOURCE_MAIN_POOL_MAX: '3' } } as const;
type Side = keyof typeof sides;
const names: readonly Side[] = ['ahead', 'plain'];

/** How to start each kind of server with statement logging, and how to read the log. */
interface Logging {
  readonly start: () => Promise<DatabaseServer>;
  readonly schema: string;
  /** Makes the server log the statements in the database. */
  readonly log: (server: DatabaseServer, database: string) => Promise<void>;
  /**
   * All logged statements in the database, in the order in which the server started them; false for a marker, which follows each request.
   */
  readonly logged: (server: DatabaseServer, database: string) => Promise<(string | false)[]>;
}

const marker = "select 'request ";

const servers: Readonly<Record<DatabaseKind, Logging>> = {
  postgresql: {
    async start() {
      const server = await startPostgres();
      for (const setting of [
        "logging_collector = 'on'",
        "log_line_prefix = '|%d|%p|'",
        "log_filename = 'statements'",
        // Otherwise the planner would detect some divisions by zero before the statement is logged.
        "plan_cache_mode = 'force_generic_plan'",
      ])
        await server.exec('postgres', `alter system set ${setting}`);
      await server.restart('fast');
      return server;
    },
    schema: `create table item (id int primary key, n int); create table note (seq serial, run text, what text);
      insert into item select i, i * 2 % 9 from generate_series(1, 12) i`,
    async log(server, database) {
      await server.exec('postgres', `alter database ${database} set log_statement = 'all'`);
    },
    async logged(server, wanted) {
      const [row] = await server.exec('postgres', "select pg_read_file('log/statements') as text");
      const found: (string | false)[] = [];
      /**
       * For each process, the index of the last started statement, whose values may follow. Queries of a new connection about its session
       * do not belong to a request; their first line is empty.
       */
      const begun = new Map<string, number | undefined>();
      for (const line of String(row?.text).split('\n')) {
        const [, database, process = '', kind, text] = /^\|(\w*)\|(\d+)\|(\w+):\s+(.*)$/.exec(line) ?? [];
        if (database !== wanted || text === undefined) continue;
        const last = begun.get(process);
        if (text.startsWith(`statement: ${marker}`)) found.push(false);
        else if (kind === 'LOG' && text.startsWith('execute ')) {
          const statement = text.replace(/^execute [^:]+: ?/, '');
          begun.set(process, statement === '' ? undefined : found.length);
          if (statement !== '') found.push(statement);
        } else if (kind === 'DETAIL' && last !== undefined && /^parameters: /i.test(text))
          found[last] = `${String(found[last])} -- ${text}`;
      }
      return found;
    },
  },
  mariadb: {
    start: () => startMariadb(['--log-output=TABLE']),
    schema: `create table item (id int primary key, n int);
      create table note (seq int auto_increment primary key, run text, what text);
      insert into item select seq, seq * 2 % 9 from seq_1_to_12`,
    async log(server) {
      await server.exec('mysql', 'set global general_log = 1');
    },
    async logged(server, wanted) {
      const rows = await server.exec(
        'mysql',
        'select thread_id, command_type, convert(argument using utf8mb4) as argument from mysql.general_log',
      );
      const databases = new Map<unknown, string>();
      const found: (string | false)[] = [];
      for (const { thread_id: thread, command_type: kind, argument } of rows) {
        const text = String(argument);
        if (kind === 'Connect') databases.set(thread, / on (\w+)/.exec(text)?.[1] ?? '');
        if (databases.get(thread) !== wanted) continue;
        if (kind === 'Query' && text.startsWith(marker)) found.push(false);
        // The values are part of the text.
        else if (kind === 'Execute') found.push(text);
      }
      return found;
    },
  },
};

const kinds: readonly DatabaseKind[] = ['postgresql', 'mariadb'];

describe.each(kinds)('%s', (kind) => {
  const { start, schema, log, logged } = servers[kind];
  let server: DatabaseServer;
  const services = new Map<Side, RunningService>();

  beforeAll(async () => {
    server = await start();
    const files = await filesOf(overlappingConfig(operations, seed, kind));
    const name = `overlap-${kind}`;
    const folder = buildServices(name, [{ name, files }]).get(name) ?? '';
    for (const side of names) {
      await server.createDatabase(side);
      await server.exec(side, schema);
      await log(server, side);
      services.set(
        side,
        await RunningService.start(folder, {
          DATASOURCE_MAIN_URL: server.jdbcUrl(side),
          DATASOURCE_MAIN_USER: server.user,
          DATASOURCE_MAIN_PASSWORD: server.password,
          LOG_LEVEL: 'fatal',
          ...sides[side],
        }),
      );
    }
  });

  afterAll(async () => {
    for (const service of services.values()) await service.stop();
    await server.stop();
  });

  /** The statements of each request with their values, in the order in which the server started them. */
  async function statements(side: Side, count: number): Promise<string[][]> {
    const requests: string[][] = [];
    const read = async () => {
      requests.length = 0;
      let current: string[] = [];
      for (const statement of await logged(server, side)) {
        if (statement !== false) current.push(statement);
        else {
          requests.push(current);
          current = [];
        }
      }
      return requests.length;
    };
    await expect.poll(read).toBe(count);
    return requests;
  }

  test(`${operations} random operations, ${rounds} requests each (seed ${seed})`, async () => {
    const responses = new Map<Side, HttpResponse[]>(names.map((side) => [side, []]));
    const marking = new Map<Side, KeptConnection>();
    for (const side of names) marking.set(side, await server.connect(side));
    let count = 0;
    for (let round = 0; round < rounds; round += 1) {
      for (let operation = 0; operation < operations; operation += 1) {
        const { path, body } = requestOf(operation, round);
        for (const side of names) {
          const response = await ask(services.get(side)?.url ?? '', 'POST', path, body);
          responses.get(side)?.push(response);
          await marking.get(side)?.run(`${marker}${count}'`);
        }
        count += 1;
      }
    }
    for (const connection of marking.values()) await connection.end();
    const logs = { ahead: await statements('ahead', count), plain: await statements('plain', count) };

    let sentForNothing = 0;
    for (let index = 0; index < count; index += 1) {
      const [ahead, plain] = [responses.get('ahead')?.[index], responses.get('plain')?.[index]];
      const place = `operation ${index % operations}, round ${Math.floor(index / operations)}`;
      expect([ahead?.status, ahead?.text], place).toEqual([plain?.status, plain?.text]);
      const found = compared(logs.plain[index] ?? [], logs.ahead[index] ?? [], logs.ahead[index - 1] ?? []);
      expect(found.sentChanges, place).toEqual(found.changes);
      expect(found.missing, place).toEqual([]);
      // Statements sent after the end are all reads; those of the previous request may arrive late.
      const isAfterError = responses.get('plain')?.[index - 1]?.status !== 200;
      if (plain?.status === 200) expect(isAfterError ? [] : found.others, place).toEqual([]);
      else sentForNothing += found.others.length;
    }
    const changes = 'select run, what from note order by seq';
    expect(await server.exec('ahead', changes)).toEqual(await server.exec('plain', changes));
    const statuses = new Set(responses.get('plain')?.map(({ status }) => status));
    expect([...statuses].sort()).toEqual([200, 400, 409]);
    // Otherwise no read was sent ahead.
    expect(sentForNothing).toBeGreaterThan(0);
  });
});

/** Changes, with the missing and additional reads before each of them; inside loops, the order of reads may differ. */
interface Compared {
  readonly changes: readonly string[];
  readonly sentChanges: readonly string[];
  readonly missing: readonly string[];
  readonly others: readonly string[];
}

/**
 * Repeated reads do not count as additional: on a busy machine, reads that follow a slow one use other connections, and reach the shared
 * connection later, possibly after the response. `before`: statements of the previous request.
 */
function compared(run: readonly string[], sent: readonly string[], before: readonly string[]): Compared {
  const [expected, found] = [stretchesOf(run), stretchesOf(sent)];
  const again = new Set(before);
  const missing: string[] = [];
  const others: string[] = [];
  for (const [index, { reads }] of expected.entries()) {
    const rest = [...(found[index]?.reads ?? [])];
    for (const read of reads) {
      again.add(read);
      const at = rest.indexOf(read);
      if (at < 0) missing.push(read);
      else rest.splice(at, 1);
    }
    others.push(...rest.filter((read) => !again.has(read)));
  }
  const changesOf = (all: ReturnType<typeof stretchesOf>) => all.map(({ change }) => change);
  return { changes: changesOf(expected), sentChanges: changesOf(found), missing, others };
}

/** The changes, each with the reads before it; the last reads precede the end. */
function stretchesOf(statements: readonly string[]): { readonly reads: string[]; change: string }[] {
  const found = [{ reads: [] as string[], change: 'the end' }];
  for (const statement of statements) {
    const last = found.at(-1);
    if (statement.startsWith('select')) last?.reads.push(statement);
    else if (last !== undefined) {
      last.change = statement;
      found.push({ reads: [], change: 'the end' });
    }
  }
  return found;
}

function requestOf(operation: number, round: number): { path: string; body: object } {
  // The first rounds are the same, so that the statements are measured as quick.
  const id = round < 3 ? 3 : [0, 5, 'x', 11][(operation + round) % 4];
  const n = round < 3 ? 4 : [8, 0, '6', null][(operation * 3 + round) % 4];
  const list = [
    { id: 1, n: 2 },
    { id: 2, n: 4 },
    { id: round, n: operation % 3 },
  ];
  return {
    path: `/op/${operation}/${String(id)}?run=${operation}-${round}`,
    body: { n, list, stop: (operation + round) % 7 },
  };
}
