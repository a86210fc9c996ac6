/** `apikiln test` as users run it: services on the embedded PostgreSQL, simulated third parties, and the printed differences. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { terminalOf } from '../../compiler/tools/commands/shared/output/terminal.js';
import { watchTests } from '../../compiler/tools/commands/test.js';
import { Workspace } from '../commands/workspace.js';
import { builtTool } from '../helpers/shared-servers.js';
import { fixtureSpace, verdicts } from './workspace-tests.js';

let space: Workspace | undefined;

afterEach(() => {
  space?.remove();
  space = undefined;
});

function news(tests?: string): Workspace {
  space = fixtureSpace('news');
  if (tests !== undefined) space.write('config.test.yaml', tests);
  return space;
}

const wrong = `# what differs
tests:
  - name: right # stays
    request: GET /news/3
    response:
      body: { id: 3, title: Glaze, body: null, created: <timestamp>, comments: [] }
  - name: wrong values
    request: GET /news/1
    response:
      statuscode: 201 # wrong
      body:
        id: 1
        title: Kiln out   # a comment
        more: 7
        created: <timestamp>
        comments: [{ id: 1, author: Ada, body: Warm. }]
  - name: wrong rows
    request: POST /news
    body: { title: Third }
    response: { statuscode: 201 }
    rowsAfter:
      news: [{ title: Kiln lit }, { title: First pots }, { title: Glaze }, { title: Fourth }]
`;

const right = wrong
  .replace('statuscode: 201 # wrong', 'statuscode: 200 # wrong')
  .replace('Kiln out', 'Kiln lit')
  .replace('        more: 7\n', '')
  .replace(
    'body: Warm. }]',
    "body: Warm. }, { id: 2, author: Bo, body: 'It''s hot' }]\n        body: The fire is on.",
  )
  .replace('title: Fourth', 'title: Third');

describe('what differs', () => {
  test('is reported with its path, its position and the steps of the operation', async () => {
    const { status, stdout } = await news(wrong).run('test');
    expect(status).toBe(1);
    expect(stdout.replaceAll(/\(\d[\d.]* m?s\)/g, '(time)')).toMatchInlineSnapshot(`
      "✓ right (time)
      ✗ wrong values (time)
          config.test.yaml:10:19
            expected the status 201, but it is 200: {"id":1,"title":"Kiln lit","body":"The fire is on.","created":"2026-01-02T03:04:05","comments":[{"id":1,"author":"Ada","…
          config.test.yaml:13:16
            $.title: expected "Kiln out", but it is "Kiln lit"
          config.test.yaml:14:9
            $.more: expected 7, but it is missing
          config.test.yaml:16:19
            $.comments[1]: not expected, but it is {"id":2,"author":"Bo","body":"It's hot"}
          config.test.yaml:12:9
            $.body: not expected, but it is "The fire is on."
            GET /news/{id} → 200
              news: SELECT id, title, body, created FROM news WHERE id = $1 → 1 row
              news: exception if SIZE(VALUE(news, $)) == INTEGER(0) → false
              comments: SELECT id, author, body FROM comment WHERE news_id = $1 ORDER BY id → 2 rows
              response ok (default)
      ✗ wrong rows (time)
          config.test.yaml:22:85
            news[3].title: expected "Fourth", but it is "Third"
            POST /news → 201
              check: SELECT id FROM news WHERE title = $1 → 0 rows
              check: exception if BODY($.title) == NULL() → false
              check: exception if SIZE(VALUE(check, $)) > INTEGER(0) → false
              created: INSERT INTO news (title, body) VALUES ($1, $2) RETURNING * → 1 row
              response created (default)
      1 test passed, 2 failed (time)
      "
    `);
  });

  test('is written into the test file with --update, and nothing else', async () => {
    const { status, stdout, stderr } = await news(wrong).run('test', '--update', '--quiet');
    expect(space?.read('config.test.yaml')).toBe(right);
    // The updated tests have run again.
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'config.test.yaml: 6 values updated\n' });
    expect(stdout).toContain('3 tests passed');
    expect((await space?.run('test'))?.status).toBe(0);
  });

  test('is written in every step: those after a failed step are compared when it passes', async () => {
    const steps = `tests:
  - name: two steps
    steps:
      - name: read
        request: GET /news/1
        response: { bodyIncludes: { title: Kiln out } }
      - name: read again
        request: GET /news/1
        response: { bodyIncludes: { title: Kiln gone } }
`;
    const { status, stderr } = await news(steps).run('test', '--update');
    expect(space?.read('config.test.yaml')).toBe(steps.replaceAll(/Kiln (?:out|gone)/g, 'Kiln lit'));
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: 'config.test.yaml: 1 value updated\nconfig.test.yaml: 1 value updated\n',
    });
  });

  test('is printed for programs', async () => {
    const { status, stdout, stderr } = await news(wrong).run(
      'test',
      '--format',
      'json',
      '--junit',
      'junit.xml',
    );
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    const { tests } = JSON.parse(stdout) as {
      tests: { name: string; status: string; line: number; failures: unknown[] }[];
    };
    expect(tests.map(({ name, status: verdict, line }) => [name, verdict, line])).toEqual([
      ['right', 'passed', 3],
      ['wrong values', 'failed', 7],
      ['wrong rows', 'failed', 17],
    ]);
    expect(tests[2]?.failures).toMatchObject([{ path: 'news[3].title', line: 22 }]);
    const junit = readFileSync(space?.path('junit.xml') ?? '', 'utf8');
    expect(junit).toContain('<testsuites name="apikiln test" tests="3" failures="2"');
    expect(junit).toMatch(/<testcase name="right" classname="config.test.yaml" time="[\d.]+"\/>/);
  });
});

test('rows that cannot be written or read, missing values of keep, and the body of a call are reported in the test', async () => {
  const { status, stdout } = await news(`tests:
  - name: the same key twice
    rows: { news: [{ id: 7, title: a }, { id: 7, title: b }] }
    request: GET /news
  - name: a query that fails
    request: GET /news
    rowsAfter: { SELECT 1 / (id - id) AS n FROM news: [{ n: 1 }] }
  - name: nothing to keep
    steps:
      - request: GET /news
        keep: { id: $.none }
`).run('test', '--format', 'json');
  const { tests } = JSON.parse(stdout) as {
    tests: { name: string; failures: { message: string; step?: string }[] }[];
  };
  expect(tests.map(({ name, failures }) => [name, failures.map(({ message }) => message)])).toEqual([
    ['the same key twice', [expect.stringMatching(/^the rows cannot be inserted: .*news_pkey/) as string]],
    ['a query that fails', [expect.stringMatching(/^the rows cannot be read: .*division by zero/) as string]],
    ['nothing to keep', ["there is nothing at $.none in the response, so 'id' cannot be kept"]],
  ]);
  expect(status).toBe(1);
});

test('a timer runs now, an operation has parameters, and several values are kept', async () => {
  space = fixtureSpace('timed');
  space.write(
    'config.test.yaml',
    `tests:
  - name: the timer notes a tick
    operationName: count the seconds
    trigger: every second
    rowsAfter: { tick: [{ source: timer, who: null }] }
  - name: the same operation with a parameter
    operationName: count the seconds
    parameters: { who: me }
    rowsAfter: { tick: [{ source: timer, who: me }] }
  - name: an exception of a timer
    operationName: fail every second
    response: { statuscode: 500, body: { message: It always fails } }
  - name: in steps
    rows: { tick: [{ source: endpoint }, { source: endpoint }] }
    steps:
      - request: GET /ticks?least=2
        response: { body: { ticks: [{ source: endpoint, named: 0 }] } }
        keep: { source: '$.ticks[0].source' }
      - request: POST /ticks
        body: { who: ':[source]' }
        response: { statuscode: 201 }
        rowsAfter:
          SELECT count(*) AS n FROM tick WHERE who = 'endpoint': [{ n: 1 }]
`,
  );
  const { status, stdout } = await space.run('test');
  expect(verdicts(stdout)).toEqual([
    '✓ the timer notes a tick',
    '✓ the same operation with a parameter',
    '✓ an exception of a timer',
    '✓ in steps',
  ]);
  expect(status).toBe(0);
});

test('reports what a third party received and did not receive', async () => {
  space = fixtureSpace('weather');
  space.write(
    'config.test.yaml',
    `tests:
  - name: unexpected
    request: GET /weather/Brno
    response: { statuscode: 502 }
  - name: another query
    request: GET /weather/Brno
    datasources:
      geocoding:
        - request: GET /v1/search
          query: { appid: test, name: Oslo, count: 1 }
        - request: GET /v1/never
    response: { statuscode: 502 }
`,
  );
  const { status, stdout } = await space.run('test');
  expect(status).toBe(1);
  expect(stdout).toContain(
    'geocoding got a request that was not expected: GET /v1/search?appid=test&name=Brno&count=1',
  );
  expect(stdout).toContain(
    `    config.test.yaml:10:39\n      request GET /v1/search?appid=test&name=Brno&count=1 to geocoding: query name: expected Oslo, but it is 'Brno'`,
  );
  expect(stdout).toContain('the request GET /v1/never to geocoding did not arrive');
});

test('a form to a third party is reported field by field', async () => {
  space = fixtureSpace('forms');
  const payment = `
          - request: POST /v1/payments
            form: { amount: 2, currency: EUR, 'items[]': [pot, kiln], live: true, tag: a, note: <string> }
            response: { body: { id: p_1 } }`;
  space.write(
    'config.test.yaml',
    `tests:
  - name: other fields
    request: POST /payments
    body: { amount: 1, items: [{ article: pot }, { article: bowl }], tags: [x] }
    datasources:
      accounts:
        - request: POST /oauth/token
          form: { grant_type: client_credentials }
          response: { body: { access_token: t } }
      payments:${payment}
    response: { statuscode: 502 }
  - name: no form
    request: POST /payments
    body: { amount: 1 }
    datasources:
      accounts:
        - request: POST /oauth/token
          body: { grant_type: client_credentials }
    response: { statuscode: 502 }
`,
  );
  const { status, stdout } = await space.run('test');
  expect(status).toBe(1);
  const differences = [...stdout.matchAll(/request POST \S+ to \w+: (.*)/g)].map(([, text]) => text);
  expect(differences).toEqual([
    "form amount: expected 2, but it is '1'",
    'form items[]: expected ["pot","kiln"], but it is \'pot\', \'bowl\'',
    "form live: expected true, but it is 'false'",
    'form tag: expected a, but it is missing',
    'form note: expected <string>, but it is missing',
    "form tags: not expected, but it is 'x'",
    'body: expected {"grant_type":"client_credentials"}, but it is "grant_type=client_credentials"',
  ]);
});

describe('the command', () => {
  test('runs again with --watch when a file has changed, and ends when it is asked to', async () => {
    const watched = news('tests:\n  - name: first\n    request: GET /news\n');
    const stop = new AbortController();
    const printed: string[] = [];
    const logged: string[] = [];
    const terminal = {
      ...terminalOf(process),
      folder: watched.folder,
      print: (text: string) => void printed.push(...text.split('\n')),
      log: (text: string) => {
        logged.push(text);
        if (!text.startsWith('Waiting')) return;
        if (logged.filter((one) => one === text).length === 1)
          watched.write('config.test.yaml', 'tests:\n  - name: second\n    request: GET /news\n');
        else stop.abort();
      },
    };
    expect(await watchTests(undefined, { format: 'text' }, terminal, stop.signal)).toBe(0);
    expect(verdicts(printed.join('\n'))).toEqual(['✓ first', '✓ second']);
    expect(logged).toContain('\nconfig.test.yaml: changed');
  });

  test('leaves no service behind when it is interrupted', async () => {
    const many = Array.from(
      { length: 500 },
      (_, index) => `  - name: number ${index}\n    request: GET /news\n`,
    );
    const interrupted = news(`tests:\n${many.join('')}`);
    const tool = spawn(process.execPath, [await builtTool(), 'test', '--workers', '1'], {
      cwd: interrupted.folder,
      env: { ...process.env, TMPDIR: interrupted.path('.') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    tool.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    tool.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (stdout === '') tool.kill('SIGINT');
      stdout += text;
    });
    const status = await new Promise((resolve) => tool.once('close', resolve));
    expect({ status, stderr }).toEqual({ status: 1, stderr: 'Stopped.\n' });
    expect(verdicts(stdout).length).toBeLessThan(500);
    expect(readdirSync(interrupted.folder).filter((name) => name.startsWith('apikiln-'))).toEqual([]);
  });

  test('runs what --filter names, of the files that --tests names', async () => {
    const { stdout } = await news().run('test', '--filter', 'ONE news');
    expect(verdicts(stdout)).toEqual(['✓ one news with its comments']);
    expect(await space?.run('test', '--filter', 'nothing')).toMatchObject({ status: 2 });
    expect(await space?.run('test', '--tests', 'other.yaml')).toMatchObject({ status: 4 });
  });

  test('reports wrong test files, and runs nothing', async () => {
    const { status, stdout, stderr } = await news('tests:\n  - name: a\n    reqest: GET /news\n').run('test');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain("config.test.yaml:3:5: error Test 'a' has no field 'reqest'. [unknown-field]");
  });

  test('reports a seed that the database refuses', async () => {
    const wrongSeed = news();
    wrongSeed.write(
      'seed.sql',
      "INSERT INTO news (title) VALUES ('a');\nINSERT INTO nwes (title) VALUES ('b');\n",
    );
    const { status, stderr } = await wrongSeed.run('test');
    expect(status).toBe(1);
    expect(stderr).toContain(
      'seed.sql:2: the embedded PostgreSQL refuses this statement: relation "nwes" does not exist',
    );
  });

  test('reports a missing schema if the seed needs it', async () => {
    rmSync(news().path('schema.sql'));
    const { status, stderr } = (await space?.run('test')) ?? {};
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        'seed.sql:1: the embedded PostgreSQL refuses this statement: relation "news" does not exist. There is no schema.sql that creates the tables\n',
    });
  });

  test('includes the own pages and middleware of a built service', async () => {
    const titles = [
      "import type { Request, Response } from 'express';",
      "import { knexOf } from '@apikiln/runtime/knex';",
      "import { newsdb } from './datasources.js';",
      'export async function titles(_: Request, response: Response): Promise<void> {',
      "  const rows = await knexOf(newsdb)<{ title: string }>('news').select('title').orderBy('id');",
      '  response.json(rows.map(({ title }) => title));',
      '}\n',
    ].join('\n');
    const built = news(`tests:
  - name: an own page
    request: GET /hello
    response: { body: hello }
  - name: an own page on the database
    request: GET /titles
    response: { body: [Kiln lit, First pots, Glaze] }
`);
    expect((await built.run('build', '--out', 'service')).status).toBe(0);
    built.write(
      'service/src/app.ts',
      `import express, { type Express } from 'express';\nimport { hi } from 'greeting';\nimport { titles } from './titles.js';\nexport const app: Express = express();\napp.get('/titles', titles);\napp.get('/hello', (_, response) => {\n  response.type('text').send(hi);\n});\n`,
    );
    built.write('service/src/titles.ts', titles);
    // The user has installed an additional package.
    built.write('service/node_modules/greeting/package.json', '{ "type": "module", "exports": "./hi.js" }');
    built.write('service/node_modules/greeting/hi.js', "export const hi = 'hello';\n");
    for (const args of [['--out', 'service'], []]) {
      const { status, stdout, stderr } = await built.run('test', ...args);
      expect(verdicts(stdout), stderr).toEqual(['✓ an own page', '✓ an own page on the database']);
      expect(status).toBe(0);
    }
  });
});

test('a wrong schema is an error of check and of test; what the embedded PostgreSQL lacks is a warning of both', async () => {
  space = fixtureSpace('news');
  const schema = space.read('schema.sql');
  space.write('schema.sql', `${schema}\nCREATE TABEL other (id int);\n`);
  for (const command of ['check', 'test']) {
    const { status, stderr } = await space.run(command);
    expect(stderr).toContain('[schema-refused]');
    expect(status).toBe(1);
    expect((await space.run(command, '--warn', 'schema-refused')).status).toBe(0);
  }
  space.write('schema.sql', `CREATE EXTENSION postgis;\n${schema}\nCREATE TABLE place (at geometry);\n`);
  for (const command of ['check', 'test']) {
    const { status, stderr } = await space.run(command);
    expect(stderr).toContain('[schema-not-run]');
    expect(stderr).not.toContain('error');
    expect(status).toBe(0);
  }
});

test('with --watch it ends immediately if there is no configuration', async () => {
  space = new Workspace();
  expect(await space.run('test', '--watch')).toMatchObject({ status: 4, stdout: '' });
  expect(await space.run('test', 'nothing.yaml', '--watch')).toMatchObject({
    status: 4,
    stderr: 'nothing.yaml cannot be read: there is no such file.\n',
  });
});

const projects = `specification: '1.0'
operations:
  POST /projects:
    transaction: true
    fulfillments:
      - name: project
        type: UPDATE
        datasource: shop
        instructions:
          - query: INSERT INTO project (id, tenant, name) VALUES (:[BODY($.id)], :[BODY($.tenant)], :[BODY($.name)])
      - name: event
        type: UPDATE
        datasource: chat
        instructions:
          - request:
              url: /projects/:[BODY($.id)]
              httpType: PUT
              body:
                contentType: json
                schema:
                  name: BODY($.name)
              deliver: afterCommit
              key: BODY($.id)
    responses:
      - name: created
        default: true
        statuscode: 201
datasources:
  shop:
    type: db
    url: jdbc:postgresql://localhost:5432/shop
    role: shop_user
    context:
      app.tenant: CALLER($.tenant)
  chat:
    type: rest
    url: https://chat.example.com
    outbox: shop
authentications:
  users:
    type: jwt
    issuer: https://id.example
    audience: projects
    key: \${TOKEN_KEY}
    default: true
`;
const projectTables = `DO $$ BEGIN
  CREATE ROLE shop_user NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
CREATE TABLE project (id integer PRIMARY KEY, tenant integer NOT NULL, name varchar(40) NOT NULL);
ALTER TABLE project ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON project USING (tenant = NULLIF(current_setting('app.tenant', true), '')::integer);
GRANT SELECT, INSERT, UPDATE, DELETE ON project TO shop_user;
`;
const projectTests = `tests:
  - name: own tenant
    request: POST /projects
    authentication: users
    claims: { sub: ada, tenant: '1' }
    body: { id: 7, tenant: 1, name: K }
    datasources:
      chat:
        - request: PUT /projects/7
          body: { name: K }
          response: { statuscode: 200 }
    response: { statuscode: 201 }
    rowsAfter:
      SELECT state FROM apikiln_outbox: [{ state: sent }]
  - name: another tenant
    request: POST /projects
    authentication: users
    claims: { sub: ada, tenant: '2' }
    body: { id: 7, tenant: 1, name: K }
    response: { statuscode: 403 }
    rowsAfter:
      SELECT state FROM apikiln_outbox: []
`;

test('an outbox with context and role is sent, and its rows are read', async () => {
  space = new Workspace();
  space.write('config.yaml', projects);
  space.write('schema.sql', projectTables);
  space.write('config.test.yaml', projectTests);
  const { status, stdout } = await space.run('test');
  expect(verdicts(stdout), stdout).toEqual(['✓ own tenant', '✓ another tenant']);
  expect(status).toBe(0);
});
