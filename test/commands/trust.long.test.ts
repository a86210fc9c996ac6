/**
 * docs/reference/trust.md: no field or file of a configuration's folder makes a command read an outside file or run a program. Each attempt
 * is real: an outside file with a secret, a variable with a secret, a program that would create a file.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Confined } from '../deployment/confined.js';
import { repository } from '../helpers/service-fixture.js';
import { builtTool } from '../helpers/shared-servers.js';
import { Workspace } from './workspace.js';

const secret = 'TOPSECRET7f3a';
/** Valid as YAML, an operation, a test file and stubs at the same time; as SQL it is an error that quotes the text. */
const outsideText = `${secret}: &x { tests: [], ${secret}: ${secret} }\n`;

const config = `specification: '1.0'
operations:
  'POST /up':
    fulfillments:
      - { name: one, type: READ, datasource: db, instructions: [{ query: 'SELECT :[MULTIPART_FILE(f, $.name)]::text AS name' }] }
    responses: [{ name: ok, default: true, statuscode: 200, schema: { name: 'VALUE(one, $.name)' } }]
datasources:
  db: { type: db, url: 'jdbc:postgresql://localhost/db' }
`;

let space: Workspace;
/** A folder next to the workspace. */
let outside: Workspace;
/** Real paths of files that this process has opened. */
const opened = new Set<string>();
const real = { openSync: fs.openSync, readFileSync: fs.readFileSync, readdirSync: fs.readdirSync };

/** Records the files that are opened before opening them. */
function noting<Rest extends unknown[], Result>(open: (path: string, ...rest: Rest) => Result) {
  return (path: string, ...rest: Rest): Result => {
    if (typeof path === 'string' && fs.existsSync(path)) opened.add(fs.realpathSync(path));
    return open(path, ...rest);
  };
}

beforeAll(() => {
  for (const [name, open] of Object.entries(real))
    Reflect.set(fs, name, noting(open as (path: string, ...rest: unknown[]) => unknown));
  syncBuiltinESMExports();
});
afterAll(() => {
  Object.assign(fs, real);
  syncBuiltinESMExports();
});

beforeEach(() => {
  space = new Workspace();
  outside = new Workspace();
  outside.write('file.yaml', outsideText);
  outside.write(
    'code.ts',
    `console.log('${secret}');\nexport function helper(): string { return '${secret}'; }\n`,
  );
  space.write('config.yaml', config);
  space.write('schema.sql', 'create table item (id int);');
  opened.clear();
});
afterEach(() => {
  space.remove();
  outside.remove();
});

/** Commands that compile a configuration; `dev` and `serve` find files with the same functions, but never end. */
const compiling: readonly (readonly string[])[] = [
  ['check'],
  ['audit'],
  ['explain'],
  ['openapi'],
  ['build'],
  ['build', '--check'],
];
const testing: readonly (readonly string[])[] = [['test'], ['test', '--update']];

interface Attempt {
  readonly make: () => void;
  readonly commands?: readonly (readonly string[])[];
  /** The expected message of at least one of the commands. */
  readonly says: RegExp;
}

function link(path: string, to = 'file.yaml'): void {
  const absolute = space.path(path);
  fs.mkdirSync(dirname(absolute), { recursive: true });
  fs.symlinkSync(outside.path(to), absolute);
}

const up = (): string => `../${outside.folder.split('/').at(-1) ?? ''}/file.yaml`;

function include(pattern: string): void {
  space.write('config.yaml', `include: ['${pattern}']\n${config}`);
}

function thirdParty(path: string): void {
  space.write(
    'config.yaml',
    `${config}  api: { type: rest, url: 'https://api.example', description: '${path}' }\n`,
  );
}

function reference(path: string): void {
  const schema = { $ref: `${path}#/${secret}` };
  const content = { 'application/json': { schema } };
  const paths = { '/up': { post: { responses: { 200: { description: 'ok', content } } } } };
  space.write(
    'openapi.yaml',
    JSON.stringify({ openapi: '3.1.0', info: { title: 't', version: '1' }, paths }),
  );
}

function part(path: string): void {
  const file = JSON.stringify(path);
  space.write(
    'config.test.yaml',
    `tests:\n  - name: t\n    request: POST /up\n    multipart: { f: { file: ${file} } }\n    response: { body: { name: other } }\n`,
  );
}

function variable(name: string, declared = false): void {
  const value = `--import=data:text/javascript,import{writeFileSync}from'node:fs';writeFileSync('${outside.path('ran')}','')`;
  space.write(
    'config.test.yaml',
    `environment: { ${name}: ${JSON.stringify(value)} }\ntests:\n  - { name: t, request: POST /up, multipart: { f: { text: a, filename: a } } }\n`,
  );
  if (declared)
    space.write('config.yaml', config.replace("AS name'", `AS name, :[ENV(${name})]::text AS v'`));
}

const elsewhere = /is a link to a path outside of the folder of the configuration/;
const test_ = 'tests: [{ name: t, request: POST /up, multipart: { f: { text: a, filename: a } } }]';

const attempts: Readonly<Record<string, Attempt>> = {
  'include with ..': {
    make: () => {
      include(up());
    },
    says: /wrong-include/,
  },
  'include of an absolute path': {
    make: () => {
      include(outside.path('*.yaml'));
    },
    says: /wrong-include/,
  },
  'include of a link': {
    make: () => {
      link('operations/a.yaml');
      include('operations/*.yaml');
    },
    says: elsewhere,
  },
  'include of a linked folder': {
    make: () => {
      link('operations', '.');
      include('operations/*.yaml');
    },
    says: elsewhere,
  },
  'include of a hidden file': {
    make: () => {
      space.write('.a.yaml', outsideText);
      include('.a.yaml');
    },
    says: /wrong-include/,
  },
  'description with ..': {
    make: () => {
      thirdParty(up());
    },
    says: /error/,
  },
  'description of an absolute path': {
    make: () => {
      thirdParty(outside.path('file.yaml'));
    },
    says: /error/,
  },
  'description of a link': {
    make: () => {
      link('api.yaml');
      thirdParty('api.yaml');
    },
    says: /error/,
  },
  'description of a hidden file': {
    make: () => {
      space.write('.npmrc', outsideText);
      thirdParty('.npmrc');
    },
    says: /error/,
  },
  '$ref with ..': {
    make: () => {
      reference(up());
    },
    says: /error/,
  },
  '$ref of a file URL': {
    make: () => {
      reference(`file://${outside.path('file.yaml')}`);
    },
    says: /error/,
  },
  '$ref of an absolute path': {
    make: () => {
      reference(outside.path('file.yaml'));
    },
    says: /error/,
  },
  '$ref of a link': {
    make: () => {
      link('part.yaml');
      reference('part.yaml');
    },
    says: /error/,
  },
  '$ref of a hidden file': {
    make: () => {
      space.write('.npmrc', outsideText);
      reference('.npmrc');
    },
    says: /private-reference/,
  },
  '$ref of a file in a hidden folder': {
    make: () => {
      space.write('.git/config', outsideText);
      reference('.git/config');
    },
    says: /private-reference/,
  },
  'openapi.yaml as a link': {
    make: () => {
      link('openapi.yaml');
    },
    says: elsewhere,
  },
  'schema.sql as a link': {
    make: () => {
      space.removeFile('schema.sql');
      link('schema.sql');
    },
    says: elsewhere,
  },
  'a migration as a link': {
    make: () => {
      space.removeFile('schema.sql');
      link('migrations/1.sql');
    },
    says: elsewhere,
  },
  'migrations as a link': {
    make: () => {
      space.removeFile('schema.sql');
      outside.write('m/1.sql', outsideText);
      link('migrations', 'm');
    },
    says: elsewhere,
  },
  'seed.sql as a link': {
    make: () => {
      space.write('config.test.yaml', test_);
      link('seed.sql');
    },
    commands: testing,
    says: elsewhere,
  },
  'config.test.yaml as a link': {
    make: () => {
      link('config.test.yaml');
    },
    commands: testing,
    says: elsewhere,
  },
  'a file of tests as a link': {
    make: () => {
      link('tests/a.yaml');
    },
    commands: testing,
    says: elsewhere,
  },
  'tests as a link': {
    make: () => {
      link('tests', '.');
    },
    commands: testing,
    says: elsewhere,
  },
  'config.stubs.yaml as a link': {
    make: () => {
      space.write('api.yaml', 'openapi: 3.1.0\ninfo: { title: t, version: "1" }\npaths: {}\n');
      thirdParty('api.yaml');
      link('config.stubs.yaml');
    },
    commands: [['check']],
    says: elsewhere,
  },
  'service as a link': {
    make: () => {
      link('service', '.');
    },
    says: elsewhere,
  },
  'user code as a link': {
    make: () => {
      fs.mkdirSync(space.path('service/src/code'), { recursive: true });
      link('service/src/code/helper.ts', 'code.ts');
      link('service/src/middleware.ts', 'code.ts');
      space.write('service/.apikiln.json', '{}');
      space.write('config.test.yaml', test_);
    },
    commands: [['check'], ['test']],
    says: /./,
  },
  'an import of user code': {
    make: () => {
      space.write(
        'service/src/middleware.ts',
        `import { helper } from '../../../${outside.folder.split('/').at(-1) ?? ''}/code.js';\n`,
      );
    },
    commands: [['check'], ['explain']],
    says: /./,
  },
  'a function with a path': {
    make: () => {
      space.write(
        'config.yaml',
        config.replace(
          /- \{ name: one[^\n]*/,
          `- { name: one, type: CODE, function: '../../${up()}', input: {}, returns: { type: object } }`,
        ),
      );
    },
    says: /error/,
  },
  'a part with ..': {
    make: () => {
      part(up());
    },
    commands: testing,
    says: /test-file/,
  },
  'a part of an absolute path': {
    make: () => {
      part('/proc/self/environ');
    },
    commands: testing,
    says: /test-file/,
  },
  'a part that is a link': {
    make: () => {
      link('a.bin');
      part('a.bin');
    },
    commands: testing,
    says: /test-file/,
  },
  'a part in a linked folder': {
    make: () => {
      link('files', '.');
      part('files/file.yaml');
    },
    commands: testing,
    says: /test-file/,
  },
  'a part by way of a link to the root': {
    make: () => {
      fs.symlinkSync('/proc/self/root', space.path('root'));
      part(`root${outside.path('file.yaml')}`);
    },
    commands: testing,
    says: /test-file/,
  },
  'a part that is a link to a hidden file': {
    make: () => {
      space.write('.env', `A=${secret}\n`);
      fs.symlinkSync('.env', space.path('env.txt'));
      part('env.txt');
    },
    commands: testing,
    says: /test-file/,
  },
  'a part that is the configuration in the folder of a link': {
    make: () => {
      fs.symlinkSync('.', space.path('here'));
      part('here/config.yaml');
    },
    commands: testing,
    says: /test-file/,
  },
  'a part that is hidden': {
    make: () => {
      space.write('.env', `A=${secret}\n`);
      part('.env');
    },
    commands: testing,
    says: /test-file/,
  },
  'a part that is the configuration': {
    make: () => {
      part('config.yaml');
    },
    commands: testing,
    says: /test-file/,
  },
  ...Object.fromEntries(
    [
      'NODE_OPTIONS',
      'NODE_PATH',
      'LD_PRELOAD',
      'PATH',
      'OPENSSL_CONF',
      'PGPASSFILE',
      'HTTPS_PROXY',
      'UNKNOWN',
    ].map((name): [string, Attempt] => [
      `the variable ${name}`,
      {
        make: () => {
          variable(name);
        },
        commands: testing,
        says: /test-variable/,
      },
    ]),
  ),
  ...Object.fromEntries(
    [
      'NODE_OPTIONS',
      'node_options',
      'LD_PRELOAD',
      'PGPASSFILE',
      '_JAVA_OPTIONS',
      'GIT_SSH_COMMAND',
      'PYTHONPATH',
    ].map((name): [string, Attempt] => [
      `the variable ${name}, which the configuration declares`,
      {
        make: () => {
          variable(name, true);
        },
        commands: testing,
        says: /test-variable/,
      },
    ]),
  ),
};

describe('a field or a file that leads elsewhere', () => {
  test.each(Object.entries(attempts))('%s', async (_, { make, commands = compiling, says }) => {
    make();
    const before = outside.files();
    opened.clear();
    let printed = '';
    for (const command of commands) {
      const { stdout, stderr } = await space.run(...command);
      printed += stdout + stderr;
    }
    const found = [...opened];
    expect(printed).toMatch(says);
    // Text of the attempt itself in the output is not a leak.
    expect(printed.replaceAll(`#/${secret}`, '')).not.toContain(secret);
    expect(found.filter((path) => path.startsWith(fs.realpathSync(outside.folder)))).toEqual([]);
    expect(found).not.toContain('/proc/self/environ');
    expect(outside.files()).toEqual(before);
  });
});

describe('SQL in the embedded PostgreSQL', () => {
  const tries = [
    `select pg_read_file('OUTSIDE/file.yaml')`,
    `select pg_read_binary_file('/proc/self/environ')`,
    `select pg_ls_dir('OUTSIDE')`,
    `select lo_import('OUTSIDE/file.yaml')`,
    `copy stolen from 'OUTSIDE/file.yaml'`,
    `copy stolen from program 'cat OUTSIDE/file.yaml; touch OUTSIDE/ran'`,
    `copy stolen to 'OUTSIDE/written'`,
    `copy stolen to program 'touch OUTSIDE/ran'`,
    `load 'OUTSIDE/library.so'`,
    `create function f() returns int language c as '/lib/x86_64-linux-gnu/libc.so.6', 'system'`,
    'create extension dblink',
    'create extension file_fdw',
    'create extension plperlu',
  ];

  test.each(tries)('%s reads nothing, runs nothing and writes nothing', async (written) => {
    const text = written.replaceAll('OUTSIDE', outside.folder);
    space.write('config.test.yaml', test_);
    const before = outside.files();
    for (const [file, command] of [
      ['schema.sql', 'check'],
      ['seed.sql', 'test'],
    ] as const) {
      space.write('schema.sql', 'create table stolen (a text);\ncreate table item (id int);');
      space.write(file, `${file === 'schema.sql' ? 'create table stolen (a text);\n' : ''}${text};\n`);
      const { stdout, stderr, status } = await space.run(command);
      expect(status, text).not.toBe(5);
      expect(stdout + stderr).not.toContain(secret);
    }
    expect(outside.files()).toEqual(before);
  });

  test('a statement in which it ends is named', async () => {
    const ending =
      "do $$ begin create table x (a text); copy x from program 'id'; exception when others then null; end $$;\n";
    space.write('config.test.yaml', test_);
    space.write('seed.sql', `insert into item values (1);\n${ending}`);
    const tested = await space.run('test');
    expect(tested.status).toBe(1);
    expect(tested.stderr).toContain(
      'seed.sql:2: the embedded PostgreSQL refuses this statement: it ends in this',
    );
    space.removeFile('seed.sql');
    space.write('schema.sql', `create table item (id int);\n${ending}create table other (id int);\n`);
    space.write('config.yaml', config.replace('SELECT :[', 'SELECT (SELECT count(id) FROM other), :['));
    const { stderr, stdout } = await space.run('check');
    expect(stdout + stderr).toContain('schema.sql:2:1');
    expect(stdout + stderr).toContain('it ends in this statement');
    expect(stdout + stderr).not.toMatch(/unknown-(?:table|column)/);
  });
});

/** A module that logs each file opened by `node:fs`, each program started, and each connection made. */
const probeText = `import fs from 'node:fs';
import processes from 'node:child_process';
import net from 'node:net';
import { syncBuiltinESMExports } from 'node:module';
const { appendFileSync } = fs;
const note = (kind, what) => { if (what !== process.env.PROBE) appendFileSync(process.env.PROBE, kind + ' ' + what + '\\n'); };
const noting = (owner, name, kind) => {
  const original = owner[name];
  owner[name] = function (...args) { note(kind, String(args[0])); return original.apply(this, args); };
};
for (const name of ['open', 'openSync', 'readFile', 'readFileSync', 'createReadStream']) noting(fs, name, 'file');
for (const name of ['open', 'readFile']) noting(fs.promises, name, 'file');
for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) noting(processes, name, 'program');
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  const [{ host, path } = {}] = [args[0]].flat();
  note('connection', host ?? path);
  return connect.apply(this, args);
};
syncBuiltinESMExports();
`;

describe('what a command opens, starts and asks', () => {
  const api = { openapi: '3.1.0', info: { title: 't', version: '1' }, paths: {} };

  test.each([
    ...[
      'check',
      'audit',
      'explain',
      'openapi',
      'diff config.yaml config.yaml',
      'build',
      'build --check',
      'test',
    ],
    ...['init new', 'init new --from-openapi api.json', 'hash', 'schema', 'completion bash'],
    ...['help wrong-include', 'lsp', 'mcp --author', 'dev --port 0', 'serve --port 0', 'token users'],
  ])('%s', async (line) => {
    const args = line.split(' ');
    const [command = ''] = args;
    space.write('probe.mjs', probeText);
    space.write('api.json', JSON.stringify(api));
    space.write('config.test.yaml', test_);
    space.write('.env', 'NODE_OPTIONS=--import=data:text/javascript,process.exit(9)\n');
    const [cache, temporary, log] = ['cache', 'tmp', 'probe.txt'].map((name) => outside.path(name));
    fs.mkdirSync(temporary ?? '');
    const child = spawn(process.execPath, ['--import', space.path('probe.mjs'), await builtTool(), ...args], {
      cwd: space.folder,
      env: {
        PATH: process.env['PATH'],
        XDG_CACHE_HOME: cache,
        TMPDIR: temporary,
        PROBE: log,
        DATASOURCE_DB_USER: 'x',
        HOST: '127.0.0.1',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const running = new Confined(child);
    child.stdin.end(command === 'hash' ? 'a long password' : '');
    if (command === 'dev' || command === 'serve') {
      await running.until(/Ready in|listening on/);
      child.kill();
    }
    await running.ended;
    const lines = fs.existsSync(log ?? '') ? fs.readFileSync(log ?? '', 'utf8').split('\n') : [];
    const noted = (kind: string): string[] =>
      lines.flatMap((line) => (line.startsWith(`${kind} `) ? line.slice(kind.length + 1) : []));
    const known = [space.folder, outside.folder, resolve(repository)];
    const others = noted('file')
      .map((path) => (path.startsWith('file:') ? fileURLToPath(path) : path))
      .filter((path) => isAbsolute(path) && !known.some((folder) => path.startsWith(`${folder}/`)));
    // Files about memory sizes, the time zone, host names and the C library, which oxfmt and oxc-transform check to choose a binding.
    expect(
      others.filter((path) => !/^\/(?:(?:proc|sys|etc|usr\/share\/zoneinfo)\/|usr\/bin\/ldd$)/.test(path)),
    ).toEqual([]);
    expect(others).not.toContain('/proc/self/environ');
    // These commands run the service, or themselves, in a separate process.
    const isIsolated = ['dev', 'diff', 'test'].includes(command);
    expect(new Set(noted('program'))).toEqual(new Set(isIsolated ? [process.execPath] : []));
    expect(noted('connection').filter((host) => host !== '127.0.0.1' && host !== 'localhost')).toEqual([]);
    expect(running.printed).not.toContain('This is a bug');
  });
});

test('the service under test gets PATH and no other variable of the command', async () => {
  space.write(
    'config.yaml',
    config
      .replace("AS name'", "AS name, :[ENV(CI_TOKEN)]::text AS v'")
      .replace("schema: { name: 'VALUE(one, $.name)' }", "schema: { v: 'VALUE(one, $.v)' }"),
  );
  space.write('config.test.yaml', test_.replace('} } }]', "} }, response: { body: { v: 'no such' } } }]"));
  process.env['CI_TOKEN'] = secret;
  try {
    const { stdout, stderr } = await space.run('test');
    expect(stdout + stderr).toContain('"test"');
    expect(stdout + stderr).not.toContain(secret);
  } finally {
    delete process.env['CI_TOKEN'];
  }
});

test('user code may read variables that it names, and nothing that programs act on', async () => {
  space.write(
    'service/src/middleware.ts',
    'export const middleware = (_: object, __: object, next: () => void): void => { if (process.env.COLOUR === "blue") next(); };\n',
  );
  space.write('config.test.yaml', `environment: { COLOUR: blue }\n${test_}`);
  expect(await space.run('test')).toMatchObject({ status: 0 });
});
