/** `apikiln dev` as a real process with an embedded database, whose files are changed while it is used. */
import { once } from 'node:events';
import { renameSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { manyRuns, runs } from '../helpers/runs.js';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import { Workspace } from '../commands/workspace.js';
import { DevProcess } from './dev-process.js';
import { statusFor } from './status-for.js';

const saves = runs(5, 50);

let space: Workspace;
let dev: DevProcess | undefined;

beforeEach(() => {
  space = new Workspace();
});
afterEach(async () => {
  await dev?.stop();
  dev = undefined;
  space.remove();
});

async function started(options: Parameters<typeof DevProcess.start>[1] = {}): Promise<DevProcess> {
  dev = await DevProcess.start(space, options);
  await dev.until(/The service runs at/);
  return dev;
}

async function ask(running: DevProcess, path: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${running.url}${path}`);
  return { status: response.status, body: await response.json() };
}

test('runs a starter immediately, also for requests during the start, prints them with their steps, and leaves nothing behind', async () => {
  await space.run('init');
  const running = (dev = await DevProcess.start(space));
  let status: number | undefined;
  while (status === undefined) {
    status = await fetch(`${running.url}/tasks`).then(
      (response) => response.status,
      () => undefined,
    );
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(status).toBe(200);
  await running.until(/The service runs at/);
  await running.until(/tasksdb: an embedded PostgreSQL with schema\.sql, seed\.sql\n/);
  expect(running.printed).toContain(
    `The service runs at ${running.url}, its test page at ${running.url}/docs-ui.`,
  );
  expect(await ask(running, '/tasks/2')).toMatchObject({
    status: 200,
    body: { title: 'Change an operation' },
  });
  await running.until(/GET \/tasks\/2[^]*response ok/);
  const shown = running.printed.replaceAll(/[\d.]+ ms/g, 'T');
  expect(shown).toContain(`200 GET /tasks/2 T
  task: SELECT id, title, done, created FROM task WHERE id = $1 → 1 row, T
  task: exception if SIZE(VALUE(task, $)) == INTEGER(0) → false
  comments: SELECT id, author, body FROM comment WHERE task_id = $1 ORDER BY id LIMIT 100 → 2 rows, T
  response ok (default)
`);
  expect(await running.stop()).toBe(0);
  expect(running.left()).toEqual([]);
});

test('a saved change is live, an error is not, and a changed schema or seed creates the database anew', async () => {
  await space.run('init', '.', '--syntax', 'b');
  const running = await started();
  const config = space.read('config.yaml');
  const changed = config.replaceAll('There is no task', 'Nobody knows task');
  await running.save(space, 'config.yaml', changed);
  expect(await ask(running, '/tasks/9')).toEqual({ status: 404, body: { message: 'Nobody knows task 9' } });

  const logged = await running.save(
    space,
    'config.yaml',
    config.replace('count.total', 'cnt.total'),
    /keeps running/,
  );
  expect(logged).toBe('keeps running');
  // The error is printed on a different stream than `keeps running`, so it may arrive later.
  await running.until(/Unknown fulfillment 'cnt'\./);
  expect(await ask(running, '/tasks/9')).toEqual({ status: 404, body: { message: 'Nobody knows task 9' } });

  await running.until(/The last version without errors keeps running\./);
  expect(await running.save(space, 'config.yaml', config, /Ready in .*/)).toContain(
    'The new version runs now.',
  );
  expect(await ask(running, '/tasks/9')).toEqual({ status: 404, body: { message: 'There is no task 9' } });

  await running.save(space, 'seed.sql', "INSERT INTO task (title) VALUES ('Only one');");
  expect(running.printed.split('The new version runs now.')).toHaveLength(2);
  expect(await ask(running, '/tasks')).toMatchObject({
    body: { total: 1, items: [{ id: 1, title: 'Only one' }] },
  });

  const refused = /seed\.sql:1: the embedded PostgreSQL refuses this statement: .*/;
  const problem = await running.save(space, 'seed.sql', 'INSERT INTO nothing VALUES (1);', refused);
  expect(problem).toContain('relation "nothing" does not exist');
  expect((await ask(running, '/tasks')).status).toBe(200);

  const schema = space.read('schema.sql').replace('DEFAULT false', 'DEFAULT true');
  await running.save(space, 'seed.sql', "INSERT INTO task (title) VALUES ('Done already');");
  await running.save(space, 'schema.sql', schema);
  expect(await ask(running, '/tasks')).toMatchObject({
    body: { items: [{ title: 'Done already', done: true }] },
  });
  expect(await running.stop('SIGTERM')).toBe(0);
  expect(running.left()).toEqual([]);
});

/** An operation of an included file that lists the names of tasks. */
function listed(path: string, field = 'title'): string {
  return `GET ${path}:
  fulfillments:
    - { name: tasks, type: READ, datasource: tasksdb, instructions: [{ query: SELECT title FROM task }] }
  responses:
    - { name: ok, default: true, statuscode: 200, schema: { list: 'VALUE(tasks, $)', item: 'VALUE(@, $.${field})' } }
`;
}

test('several files: a change of an included one is live, an error names it, and files that no pattern matches start nothing', async () => {
  space.write(
    'config.yaml',
    `specification: "1.0"
include: [operations/*.yaml]
datasources:
  tasksdb: { type: db, url: 'jdbc:postgresql://localhost/tasks' }
`,
  );
  space.write('schema.sql', 'CREATE TABLE task (title text NOT NULL);');
  space.write('seed.sql', "INSERT INTO task VALUES ('Read'), ('Write');");
  space.write('operations/tasks.yaml', listed('/tasks'));
  const running = await started();
  const all = { status: 200, body: ['Read', 'Write'] };
  expect(await ask(running, '/tasks')).toEqual(all);

  const from = running.printed.length;
  space.write('notes.txt', 'A file next to the configuration.');
  space.write('operations/.tasks.yaml.swp', 'A file of an editor.');
  // Editors write a new file and rename it to the old name.
  space.write('operations/.new', listed('/all'));
  renameSync(space.path('operations/.new'), space.path('operations/tasks.yaml'));
  await running.until(/Ready in/, from);
  expect(running.printed.slice(from).match(/^.*: changed$/gm)).toEqual(['operations/tasks.yaml: changed']);
  expect(await ask(running, '/all')).toEqual(all);

  await running.save(space, 'operations/more.yaml', listed('/more', 'name'), /keeps running/);
  await running.until(/^operations\/more\.yaml:5:\d+: error .*'name'/m);
  expect(await ask(running, '/all')).toEqual(all);
  await running.save(space, 'operations/more.yaml', listed('/more'));
  expect(await ask(running, '/more')).toEqual(all);

  const config = space.read('config.yaml').replace('[operations/*.yaml]', '[operations/t*.yaml]');
  space.write('.new', config);
  const before = running.printed.length;
  renameSync(space.path('.new'), space.path('config.yaml'));
  await running.until(/^config\.yaml: changed\n[^]*Ready in/m, before);
  expect((await ask(running, '/more')).status).toBe(404);
});

/** User pages; the test decides how long one of them takes. */
const app = `import express, { type Express } from 'express';
import { word } from './word.js';
export const app: Express = express();
app.get('/slow', (_request, response) => {
  setTimeout(() => response.json({ word }), 2500);
});
`;

test('requests in flight finish in the version that they began in; own pages and middleware are part of it', async () => {
  await space.run('init');
  await space.run('build', '--out', 'service');
  space.write('service/src/app.ts', app);
  space.write('service/src/word.ts', "export const word: string = 'first';\n");
  space.write(
    'service/src/middleware.ts',
    "import express, { type Express } from 'express';\nexport const middleware: Express = express();\nmiddleware.use((_request, response, next) => {\n  response.setHeader('X-Mine', 'yes');\n  next();\n});\n",
  );
  const running = await started();
  const slow = fetch(`${running.url}/slow`);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await running.save(space, 'service/src/word.ts', "export const word: string = 'second';\n");
  const second = fetch(`${running.url}/slow`);
  expect(await (await slow).json()).toEqual({ word: 'first' });
  const response = await second;
  expect(await response.json()).toEqual({ word: 'second' });
  expect((await fetch(`${running.url}/tasks`)).headers.get('x-mine')).toBe('yes');
  expect(await running.stop()).toBe(0);
});

/** User code that needs no database. */
const codeConfiguration = `specification: '1.0'
operations:
  GET /greeting:
    fulfillments:
      - name: greeting
        type: CODE
        function: greet
        input: PARAM(name)
        returns: { type: string }
    responses: [{ name: ok, default: true, statuscode: 200, schema: { greeting: 'VALUE(greeting, $)' } }]
`;

function greet(word: string): string {
  return `import type { GreetInput, GreetResult } from '../functions.js';

export function greet(name: GreetInput): GreetResult {
  return \`${word} \${String(name)}\`;
}
`;
}

test('own code: a stub before there is a file, then each saved version that can be loaded', async () => {
  space.write('config.yaml', codeConfiguration);
  const running = await started();
  const response = (): ReturnType<typeof ask> => ask(running, '/greeting?name=ada');
  expect(await response()).toEqual({ status: 501, body: { message: 'greet is not written yet' } });
  expect(space.exists('service')).toBe(false);
  await running.save(space, 'service/src/code/greet.ts', greet('Hello'));
  expect(await response()).toEqual({ status: 200, body: { greeting: 'Hello ada' } });
  const failing = `${greet('Never')}\nthrow new TypeError('of greet');\n`;
  await running.save(
    space,
    'service/src/code/greet.ts',
    failing,
    /The last version that started keeps running/,
  );
  expect(await response()).toEqual({ status: 200, body: { greeting: 'Hello ada' } });
  await running.save(space, 'service/src/code/greet.ts', greet('Good morning,'));
  expect(await response()).toEqual({ status: 200, body: { greeting: 'Good morning, ada' } });
  await running.until(/greeting: own code, src\/code\/greet\.ts[^]*response ok/);
  const unreadable = greet('Never').replace('return', 'const never = [1,, 2];\n  return (,');
  await running.save(
    space,
    'service/src/code/greet.ts',
    unreadable,
    /service\/src\/code\/greet\.ts:5:11: Expression expected\.[^]*The last version that started keeps running/,
  );
  expect(await response()).toEqual({ status: 200, body: { greeting: 'Good morning, ada' } });
  const refusing = `import { fail } from '@apikiln/runtime';\n${greet('Never').replace('return', "throw fail(403, 'no'); return")}`;
  await running.save(space, 'service/src/code/greet.ts', refusing);
  expect((await response()).status).toBe(403);
  await running.until(/greeting: own code, src\/code\/greet\.ts → fail\(403\)/);
  expect(await running.stop()).toBe(0);
});

test('own code that is never loaded is given up when it changes; a request that its client gives up has no status of the service', async () => {
  space.write('config.yaml', codeConfiguration);
  space.write('service/src/code/greet.ts', greet('Hello'));
  const running = await started();
  space.write('service/src/code/greet.ts', `${greet('Never')}\nawait new Promise(() => undefined);\n`);
  await running.until(/greet\.ts: changed/);
  const busy =
    "console.log('is busy');\n  for (const end = Date.now() + 5000; Date.now() < end; );\n  return";
  await running.save(space, 'service/src/code/greet.ts', greet('Never').replace('return', busy));
  const client = new AbortController();
  const gone = fetch(`${running.url}/greeting?name=ada`, { signal: client.signal });
  await running.until(/^is busy$/m);
  client.abort();
  await expect(gone).rejects.toThrow('aborted');
  await running.until(/499 GET \/greeting/);
  await running.save(space, 'service/src/code/greet.ts', greet('Good morning,'));
  expect(await ask(running, '/greeting?name=ada')).toEqual({
    status: 200,
    body: { greeting: 'Good morning, ada' },
  });
  expect(running.printed).not.toContain('was not loaded');
  expect(await running.stop()).toBe(0);
});

test('its inner port refuses the name of another site too', async () => {
  await space.run('init');
  await space.run('build', '--out', 'service');
  space.write(
    'service/src/middleware.ts',
    "import express, { type Express } from 'express';\nexport const middleware: Express = express();\nmiddleware.use((request, response, next) => {\n  response.setHeader('X-Port', String(request.socket.localPort));\n  next();\n});\n",
  );
  const running = await started();
  const inner = Number((await fetch(`${running.url}/tasks`)).headers.get('x-port'));
  await expect(statusFor('evil.example', inner, '/tasks')).rejects.toThrow('socket hang up');
  expect(await statusFor(`127.0.0.1:${inner}`, inner, '/tasks')).toBe(200);
  expect(await running.stop()).toBe(0);
});

test('own pages that fail when they are loaded do not replace the last good version', async () => {
  await space.run('init');
  await space.run('build', '--out', 'service');
  const running = await started();
  const pages = app.replace("import { word } from './word.js';", "const word = 'mine';");
  const wrong = `${pages}const missing = undefined as unknown as { name: string };\nconsole.log(missing.name);\n`;
  await running.save(space, 'service/src/app.ts', wrong, /The last version that started keeps running/);
  const error = /TypeError: Cannot read properties of undefined \(reading 'name'\)\n +at \S+ \((.*)\)/;
  expect(await running.until(error)).toContain(`${space.path('service/src/app.ts')}:8:21`);
  const respond = await ask(running, '/tasks');
  expect(respond, `${JSON.stringify(respond)}\n${running.printed}`).toMatchObject({ status: 200 });
  await running.save(space, 'service/src/app.ts', 'process.exit(0);', /ended at its start without a message/);
  await running.save(space, 'service/src/app.ts', pages);
  expect(await (await fetch(`${running.url}/slow`)).json()).toEqual({ word: 'mine' });
  expect(await running.stop()).toBe(0);
});

test('many saves in a row under load, and no request fails', async () => {
  await space.run('init');
  const running = await started();
  const config = space.read('config.yaml');
  const statuses = new Map<number | string, number>();
  let isOver = false;
  const clients = [1, 2, 3, 4].map(async () => {
    while (!isOver) {
      const status = await fetch(`${running.url}/tasks/9`).then(
        async (response) => {
          const text = await response.text();
          return response.status === 404 ? 404 : `${response.status} ${text}`;
        },
        (error: unknown) => String(error),
      );
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      // Without a pause the clients would use up the processors.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
  for (let count = 1; count <= saves; count += 1) {
    await running.save(
      space,
      'config.yaml',
      config.replaceAll('There is no task', `Version ${count} has no task`),
    );
  }
  expect(await ask(running, '/tasks/9')).toMatchObject({
    body: { message: `Version ${saves} has no task 9` },
  });
  isOver = true;
  await Promise.all(clients);
  expect([...statuses.keys()]).toEqual([404]);
  expect(statuses.get(404)).toBeGreaterThan(saves);
  expect(await running.stop()).toBe(0);
});

describe('which database', () => {
  test.runIf(manyRuns)(
    'a server of the environment, of .env, and of the command line have precedence over the embedded one',
    async () => {
      await space.run('init');
      const server = await sharedPostgres();
      await server.createDatabase('dev_named');
      await server.exec('dev_named', space.read('schema.sql'));
      await server.exec('dev_named', "INSERT INTO task (title) VALUES ('On the server')");
      const account = { DATASOURCE_TASKSDB_USER: server.user, DATASOURCE_TASKSDB_PASSWORD: server.password };
      const url = server.jdbcUrl('dev_named');
      const expected = { body: { total: 1, items: [{ title: 'On the server' }] } };

      const byVariable = await started({ environment: { DATASOURCE_TASKSDB_URL: url, ...account } });
      expect(byVariable.printed).toContain('tasksdb: the server of DATASOURCE_TASKSDB_URL\n');
      expect(await ask(byVariable, '/tasks')).toMatchObject(expected);
      await byVariable.stop();

      const lines = Object.entries({ DATASOURCE_TASKSDB_URL: url, ...account });
      space.write('.env', lines.map(([name, value]) => `${name}=${value}\n`).join(''));
      const byFile = await started();
      expect(await ask(byFile, '/tasks')).toMatchObject(expected);
      await byFile.stop();

      space.write('.env', '');
      const byOption = await started({ args: ['--database', url], environment: account });
      expect(byOption.printed).toContain('tasksdb: the server of --database\n');
      expect(await ask(byOption, '/tasks')).toMatchObject(expected);
      await byOption.stop();
    },
  );

  test('MariaDB needs a server, which is reported in one sentence', async () => {
    await space.run('init', '.', '--database', 'mysql');
    dev = await DevProcess.start(space, { environment: { DB_PORT: '1' } });
    expect(await dev.ended).toBe(4);
    expect(dev.printed).toContain(
      "There is no server for the datasource 'tasksdb', and only PostgreSQL can be embedded: ",
    );
    expect(dev.printed).toContain('--database tasksdb=mariadb://user:password@localhost/tasks');
    expect(dev.printed.trim().split('\n').length).toBe(1);

    const server = await sharedMariadb();
    await server.createDatabase('dev_mariadb');
    await server.exec('dev_mariadb', space.read('schema.sql'));
    await server.exec('dev_mariadb', space.read('seed.sql'));
    const { host, port, user, password } = server;
    const running = await started({
      environment: {
        DB_HOST: host,
        DB_PORT: String(port),
        DB_NAME: 'dev_mariadb',
        DB_USER: user,
        DB_PASSWORD: password,
      },
    });
    expect(running.printed).toContain('tasksdb: the server of the configuration\n');
    expect(await ask(running, '/tasks')).toMatchObject({ body: { total: 3 } });
  });
});

const rates = `specification: "1.0"
operations:
  GET /rates/{currency}:
    fulfillments:
      - name: rate
        type: READ
        datasource: bank
        instructions: [{ request: { url: '/rates/:[PARAM(currency)]', httpType: GET } }]
    responses: [{ name: ok, default: true, statuscode: 200, schema: { rate: 'VALUE(rate, $.value)' } }]
datasources:
  bank: { type: rest, url: 'https://bank.example.com/v1' }
`;

test('third parties are stubs of config.stubs.yaml, whose changes and errors apply immediately', async () => {
  // The stubs need no key.
  space.write('config.yaml', rates.replace("/v1' }", "/v1', header: ['X-Key: ${BANK_KEY}'] }"));
  const stubs = (value: string): string =>
    `datasources:\n  bank:\n    - request: GET /v1/rates/EUR\n      response: { body: { value: ${value} } }\n`;
  space.write('config.stubs.yaml', stubs('1.5'));
  const running = await started();
  await running.until(/bank: stubs of config\.stubs\.yaml\n/);
  expect(await ask(running, '/rates/EUR')).toEqual({ status: 200, body: { rate: 1.5 } });
  expect(await ask(running, '/rates/EUR')).toEqual({ status: 200, body: { rate: 1.5 } });
  expect((await ask(running, '/rates/USD')).status).toBe(502);
  await running.until(/bank got a request that was not expected: GET \/v1\/rates\/USD/);

  await running.save(
    space,
    'config.stubs.yaml',
    stubs('1.5').replace('response', 'reponse'),
    /keeps running/,
  );
  await running.until(/config\.stubs\.yaml:4:7: error/);
  await running.save(space, 'config.stubs.yaml', stubs('2.5'));
  expect(await ask(running, '/rates/EUR')).toEqual({ status: 200, body: { rate: 2.5 } });
  expect(await running.stop()).toBe(0);
});

test('refused credentials are printed with their reason, which no response has; a second secret needs no other configuration', async () => {
  space.write(
    'config.yaml',
    `specification: "1.0"
operations:
  GET /me:
    responses:
      - { name: ok, default: true, statuscode: 200, schema: { by: 'CALLER($.sub)' } }
authentications:
  partners: { type: apikey, header: X-Api-Key, keys: { acme: '\${ACME_KEY}' } }
`,
  );
  const [old, fresh] = ['o'.repeat(40), 'n'.repeat(40)];
  const running = await started({
    environment: { ACME_KEY: old, AUTHENTICATION_PARTNERS_KEY_ACME_2: fresh },
  });
  const send = (headers: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`${running.url}/me`, { headers: { 'x-trace': '1', ...headers } });
  for (const key of [old, fresh]) expect((await send({ 'x-api-key': key })).status).toBe(200);
  const tries = [
    ['missing', {}],
    ['unknown-api-key', { 'x-api-key': 'x'.repeat(40), 'x-request-id': 'chosen-by-the-client' }],
    ['not-accepted', { authorization: 'Bearer x' }],
  ] as const;
  for (const [reason, headers] of tries) {
    const response = await send(headers);
    expect(response.status).toBe(401);
    expect(JSON.stringify([...response.headers, await response.text()])).not.toContain(reason);
    await running.until(new RegExp(`^401 GET /me [\\d.]+ m?s credentials refused: ${reason}$`, 'm'));
  }
  // Many at the same time.
  await Promise.all(Array.from({ length: 30 }, () => send({})));
  await expect.poll(() => running.printed.match(/credentials refused: missing/g)?.length).toBe(31);
  expect(running.printed).not.toContain('MaxListeners');
  expect((await fetch(`${running.url}/nothing`)).status).toBe(404);
  await running.until(/^404 GET \/nothing [\d.]+ m?s$/m);
});

test('a port that is taken', async () => {
  await space.run('init');
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const address = other.address();
  const port = address === null || typeof address === 'string' ? 0 : address.port;
  dev = await DevProcess.start(space, { port });
  expect(await dev.ended).toBe(4);
  expect(dev.printed).toBe(
    `The port ${port} is already in use. Stop the other program, or choose another port: apikiln dev --port ${port + 1}\n`,
  );
  expect(dev.left()).toEqual([]);
  await new Promise((resolve) => other.close(resolve));
});

test('an error at the start: the next save without it starts the service', async () => {
  await space.run('init');
  const config = space.read('config.yaml');
  space.write('config.yaml', config.replace('VALUE(count, $.total)', 'VALUE(cnt, $.total)'));
  const running = (dev = await DevProcess.start(space));
  await running.until(/The service starts at \S+ when the errors are fixed/);
  expect(await ask(running, '/tasks')).toEqual({
    status: 503,
    body: { message: 'The service is not running: the terminal of apikiln dev shows why' },
  });
  const other = "  other: { type: rest, url: 'https://api.example.com', header: ['X-Key: ${OTHER_KEY}'] }\n";
  const withOther = config.replace('\ndatasources:\n', `\ndatasources:\n${other}`);
  await running.save(space, 'config.yaml', withOther, /OTHER_KEY is not set[^]*Set the variables in .*\.env/);
  await running.save(space, 'config.yaml', config);
  expect((await ask(running, '/tasks')).status).toBe(200);
});

test('a folder without a configuration ends it immediately', async () => {
  dev = await DevProcess.start(space);
  expect(await dev.ended).toBe(4);
  expect(dev.printed).toMatch(/^There is no config\.yaml/);
  expect(dev.left()).toEqual([]);
});

const ticking = (version: string): string => `specification: "1.0"
operations:
  note a tick:
    triggers: [{ name: every second, cron: '* * * * * *' }]
    fulfillments:
      - name: noted
        type: UPDATE
        datasource: tickdb
        instructions: [{ query: "INSERT INTO tick (version) VALUES ('${version}')" }]
  GET /ticks/{version}:
    fulfillments:
      - name: ticks
        type: READ
        datasource: tickdb
        instructions: [{ query: 'SELECT count(*) AS count FROM tick WHERE version = :[PARAM(version)]' }]
    responses: [{ name: ok, default: true, statuscode: 200, schema: { count: 'VALUE(ticks, $.count)' } }]
  GET /slow:
    fulfillments:
      - name: slow
        type: READ
        datasource: bank
        instructions: [{ request: { url: /slow, httpType: GET } }]
    responses: [{ name: ok, default: true, statuscode: 200, schema: { version: TEXT(${version}) } }]
datasources:
  tickdb: { type: db, url: 'jdbc:postgresql://localhost/tick' }
  bank: { type: rest, url: 'https://bank.example.com', timeout: 600 }
`;

test('timers of a version stop when the next one takes over, while a long request finishes', async () => {
  space.write('config.yaml', ticking('first'));
  space.write('schema.sql', 'CREATE TABLE tick (version text NOT NULL);');
  // The response is sent when the test calls `respond`.
  let respond: () => void = () => undefined;
  const bank = createHttpServer((_request, response) => {
    respond = () => response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => bank.listen(0, '127.0.0.1', resolve));
  const address = bank.address();
  const port = address === null || typeof address === 'string' ? 0 : address.port;
  const running = await started({
    environment: { DATASOURCE_BANK_URL: `http://127.0.0.1:${port}`, REQUEST_TIMEOUT: '600000' },
  });
  const ticks = async (version: string): Promise<number> => {
    const { status, body } = await ask(running, `/ticks/${version}`);
    expect(status).toBe(200);
    return (body as { count: number }).count;
  };
  const untilTicked = async (version: string, count: number): Promise<void> => {
    while ((await ticks(version)) < count) await new Promise((resolve) => setTimeout(resolve, 100));
  };
  await untilTicked('first', 1);
  const now = { method: 'POST', headers: { 'x-apikiln-dev': 'run' } };
  const ran = await fetch(`${running.url}/docs-ui/apikiln-dev/run?operation=note%20a%20tick`, now);
  expect(await ran.json()).toMatchObject({ succeeded: true });
  await running.until(/note a tick(?:.*\n)+ {2}noted: INSERT INTO tick/);
  const slow = ask(running, '/slow');
  await once(bank, 'request');
  await running.save(space, 'config.yaml', ticking('second'));
  await untilTicked('second', 2);
  const before = await ticks('first');
  await untilTicked('second', 4);
  expect(await ticks('first')).toBe(before);
  respond();
  expect(await slow).toEqual({ status: 200, body: { version: 'first' } });
  expect(await running.stop()).toBe(0);
  bank.close();
});

describe('Ctrl-C during the first start', () => {
  /** Options for a start without caches: the database and the compiled runtime are created again. */
  const cold = (): Parameters<typeof DevProcess.start>[1] => ({
    environment: { XDG_CACHE_HOME: space.path('.cache') },
  });

  test.each(manyRuns ? [0, 200, 700, 1500] : [200, 1500])(
    '%i ms after it began: nothing starts any more, nothing is left',
    async (wait) => {
      await space.run('init');
      dev = await DevProcess.start(space, cold());
      while (dev.left().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      await new Promise((resolve) => setTimeout(resolve, wait));
      const wasStarted = dev.printed.includes('The service runs at');
      expect(await dev.stop()).toBe(0);
      expect(dev.printed.includes('The service runs at')).toBe(wasStarted);
      expect(dev.left()).toEqual([]);
      expect(dev.children()).toEqual([]);
    },
  );
});

describe('dev --record', () => {
  const configured = `specification: "1.0"
operations:
  GET /rates/{currency}:
    fulfillments:
      - name: new
        type: COMPUTE
        schema: RANDOM(16)
      - name: login
        type: READ
        datasource: bank
        instructions:
          - request:
              url: /token
              httpType: POST
              body: { contentType: json, schema: { client: TEXT(me), client_secret: TEXT(s3cr3t-of-client), nonce: 'VALUE(new, $)' } }
      - name: rate
        type: READ
        datasource: bank
        instructions:
          - request:
              url: '/rates/:[PARAM(currency)]?api_key=key-in-query&digits=2'
              httpType: GET
              header: ['Authorization: Bearer :[VALUE(login, $.access_token)]']
    responses:
      - { name: ok, default: true, statuscode: 200, schema: { rate: 'VALUE(rate, $.value)', note: 'VALUE(rate, $.note)' } }
datasources:
  bank: { type: rest, url: '\${BANK_URL}/v1', user: app, password: '\${BANK_PASSWORD}' }
`;

  test('requests without a stub reach the third party, become stubs without secrets, and are played then', async () => {
    const seen: string[] = [];
    const bank = createHttpServer((request, response) => {
      request.resume();
      seen.push(`${request.method ?? ''} ${request.url ?? ''} ${request.headers.authorization ?? ''}`);
      response.setHeader('content-type', 'application/json').setHeader('set-cookie', 'session=cookie-secret');
      const isLogin = request.url === '/v1/token';
      response.end(
        JSON.stringify(
          isLogin
            ? { access_token: 'token-of-today', expires_in: 60 }
            : { value: 1.25, note: 'asked with token-of-today' },
        ),
      );
    });
    await new Promise<void>((resolve) => bank.listen(0, '127.0.0.1', resolve));
    const address = bank.address();
    const port = address === null || typeof address === 'string' ? 0 : address.port;
    const environment = { BANK_URL: `http://127.0.0.1:${port}`, BANK_PASSWORD: 'pass-of-bank' };
    space.write('config.yaml', configured);
    const recording = await started({ args: ['--record'], environment });
    const first = { status: 200, body: { rate: 1.25, note: 'asked with token-of-today' } };
    expect(await ask(recording, '/rates/EUR')).toEqual(first);
    await recording.until(/bank: GET \/v1\/rates\/EUR: recorded in config\.stubs\.yaml/);
    // The log-in is forwarded again, because other requests may need a real token.
    expect((await ask(recording, '/rates/USD')).status).toBe(200);
    await recording.until(/bank: GET \/v1\/rates\/USD: recorded/);
    const basic = `Basic ${Buffer.from('app:pass-of-bank').toString('base64')}`;
    expect(seen).toEqual([
      `POST /v1/token ${basic}`,
      'GET /v1/rates/EUR?api_key=key-in-query&digits=2 Bearer token-of-today',
      `POST /v1/token ${basic}`,
      'GET /v1/rates/USD?api_key=key-in-query&digits=2 Bearer token-of-today',
    ]);
    // The recorded file is not treated as a change that triggers a restart.
    expect(recording.printed).not.toContain('changed');
    expect(await recording.stop()).toBe(0);
    bank.close();
    const written = space.read('config.stubs.yaml');
    expect(written)
      .toBe(`# The responses of third parties under apikiln dev. Recorded by dev --record; secrets are left out.
datasources:
  bank:
    - request: POST /v1/token
      query: {}
      body:
        client: me
        client_secret: <string>
        nonce: <string>
      response:
        body:
          access_token: test
          expires_in: 60
    - request: GET /v1/rates/EUR
      query:
        api_key: <string>
        digits: "2"
      response:
        body:
          value: 1.25
          note: asked with test
    - request: GET /v1/rates/USD
      query:
        api_key: <string>
        digits: "2"
      response:
        body:
          value: 1.25
          note: asked with test
`);
    // Play the recorded stubs: the bank does not run, and `--record` is not set.
    const played = await started({ environment });
    expect(await ask(played, '/rates/EUR')).toEqual({
      status: 200,
      body: { rate: 1.25, note: 'asked with test' },
    });
    expect((await ask(played, '/rates/GBP')).status).toBe(502);
    expect(await played.stop()).toBe(0);
  });
});
