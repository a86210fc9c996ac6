/** The command line: help, exit statuses, output streams and the choice of the file to read. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { helpOfTopic } from '../../compiler/tools/commands/help-topic.js';
import { exitStatus } from '../../compiler/tools/commands/shared/output/exit-status.js';
import { repository } from '../helpers/service-fixture.js';
import {
  configuration,
  warningConfiguration,
  Workspace,
  wrongConfiguration,
  type Outcome,
} from './workspace.js';
import { builtTool } from '../helpers/shared-servers.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
});

afterEach(() => {
  space.remove();
});

describe('help', () => {
  test('of the tool', async () => {
    const { status, stdout, stderr } = await space.run('--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatchInlineSnapshot(`
      "Usage: apikiln <command> [options]

      Compiles one config.yaml to a readable, self-contained TypeScript service.

      Options:
        -V, --version                print the version
        --no-color                   print plain text, even on a terminal
        -h, --help                   print this help; after a command, print the help of the command

      Commands:
        init [options] [dir]         write the files of a new service
        build [options] [config]     write the service
        check [options] [config]     report errors and warnings of the configuration
        dev [options] [config]       run the service, and reload it after every change
        token [options] <name>       print credentials that the running dev accepts
        serve [options] [config]     compile and run the service
        test [options] [config]      run the tests of the configuration
        openapi [options] [config]   print an API description of the configuration
        explain [options] [subject]  print the steps of an operation, or the meaning of a diagnostic
        diff [options] <old> <new>   print changes for clients, and changes of SQL
        audit [options] [config]     print risks that are not errors
        doctor [options]             check that a database supports the features that services need
        hash [options]               print the hash of a password or an API key from standard input
        completion <shell>           print a script that completes commands and options in a shell
        lsp [options]                run a language server for editors
        mcp [options] [url]          run an MCP server for assistants with language models
        schema [options]             print the JSON schema of configurations, included files or test files
        help [topic]                 print the help of a command, or a page of the documents

      Examples:
        apikiln init tasks                   write a new service to the folder 'tasks'
        apikiln dev                          run ./config.yaml, and reload it after every change
        apikiln token users --sub 1          print a token that the running dev accepts
        apikiln check                        report errors and warnings of ./config.yaml
        apikiln build                        write the service to the folder 'service'
        apikiln build --check                check that the folder matches the configuration
        apikiln serve                        compile ./config.yaml and run the service
        apikiln test                         run the tests of ./config.test.yaml
        apikiln explain 'GET /news/{id}'     print the steps, the SQL and the responses of an operation
        apikiln explain unknown-field        print the meaning of a diagnostic
        apikiln diff old.yaml config.yaml    print changes that break clients, and changes of SQL
        apikiln audit --fail-on medium       print risks, and exit with 1 if one is medium or high
        apikiln openapi --out openapi.json   write a first API description
        apikiln schema > schema.json         let an editor check and complete the configuration
        apikiln help expressions             print a page of the documents; 'topics' lists the pages, and
                                             any other word searches them

      Exit status:
        0  success
        1  errors in the configuration, files that would be overwritten, a failed test or a low coverage
           (test), a change that breaks clients (diff), or a risk of the severity of --fail-on or worse
           (audit)
        2  wrong use of the command
        3  a folder that differs from the output of a build (build --check)
        4  a file or folder that cannot be read or written, or a database that cannot be queried
        5  a bug in apikiln: please report it
      "
    `);
  });

  test('of build', async () => {
    expect((await space.run('build', '--help')).stdout).toMatchInlineSnapshot(`
      "Usage: apikiln build [config] [options]

      Compiles the configuration and writes the service, ready for npm install, npm run build, npm start.

      Arguments:
        config              the configuration (default: ./config.yaml, then /app/config.yaml)

      Options:
        -o, --out <dir>     the folder of the service, created if missing (default: service next to the
                            configuration)
        --target <target>   kubernetes adds manifests (default: the target of the last build, otherwise
                            docker) (choices: "docker", "kubernetes")
        --with <objects>    further Kubernetes objects, separated by commas: ingress, network-policy,
                            pod-monitor; 'none' removes them (default: the objects of the last build)
        --name <name>       the name of the service, its package, its image and its Kubernetes objects
                            (default: the name in its package.json, otherwise service)
        --runtime <source>  the source of the runtime for package managers: a tarball in the folder
                            (vendor) or the package @apikiln/runtime (registry) (default: the source of
                            the last build, otherwise vendor) (choices: "vendor", "registry")
        --client <file>     also write a client to this file: a TypeScript module with one function for
                            each operation
        --check             print the changes of a build without writing them; exit with 3 if there are
                            any
        --watch             build again whenever the configuration or the API description changes
        --force             also overwrite files that were edited by hand or not written by a build
        --format <format>   text for people, on standard error; json, sarif or github (annotations of
                            GitHub Actions) for programs, on standard output (choices: "text", "json",
                            "sarif", "github", default: "text")
        --openapi <file>    the API description (default: openapi.yaml, .yml or .json next to the
                            configuration)
        --schema <path>     the SQL that creates the database: a file, or a folder of migrations;
                            <datasource>=<path> for one of several databases (default: schema.sql or
                            migrations next to the configuration)
        --no-schema         skip the schema
        --database <url>    a database server that checks the statements without running them;
                            <datasource>=<url> for one of several databases; \${NAME} is an environment
                            variable
        --error <code>      report this code as an error (--error, --warn and --off can be repeated)
        --warn <code>       report this code as a warning
        --off <code>        do not report this code
        --quiet             report errors only
        --max-warnings <n>  exit with 1 if there are more warnings
        -h, --help          print this help
      "
    `);
  });

  test('of check', async () => {
    expect((await space.run('check', '-h')).stdout).toMatchInlineSnapshot(`
      "Usage: apikiln check [config] [options]

      Prints the diagnostics of a build, without writing the service.

      Arguments:
        config              the configuration (default: ./config.yaml, then /app/config.yaml)

      Options:
        --fix               apply the safe fixes, then report the remaining diagnostics
        --format <format>   text for people, on standard error; json, sarif or github (annotations of
                            GitHub Actions) for programs, on standard output (choices: "text", "json",
                            "sarif", "github", default: "text")
        --openapi <file>    the API description (default: openapi.yaml, .yml or .json next to the
                            configuration)
        --schema <path>     the SQL that creates the database: a file, or a folder of migrations;
                            <datasource>=<path> for one of several databases (default: schema.sql or
                            migrations next to the configuration)
        --no-schema         skip the schema
        --database <url>    a database server that checks the statements without running them;
                            <datasource>=<url> for one of several databases; \${NAME} is an environment
                            variable
        --error <code>      report this code as an error (--error, --warn and --off can be repeated)
        --warn <code>       report this code as a warning
        --off <code>        do not report this code
        --quiet             report errors only
        --max-warnings <n>  exit with 1 if there are more warnings
        -h, --help          print this help
      "
    `);
  });

  test('of a command is printed by help before or --help after it', async () => {
    expect(await space.run('help', 'build')).toEqual(await space.run('build', '--help'));
    expect((await space.run('help')).stdout).toBe((await space.run('--help')).stdout);
  });

  test('of words that no page has says so, and of words that stand apart in a line names the pages', async () => {
    const unknown = await space.run('help', 'deduplicatoin');
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toMatch(/^error: no page of the documents has 'deduplicatoin'$/m);
    expect((await space.run('help', 'expressoins')).stderr).toMatch(/Did you mean expressions\?/);
    const { status, stdout } = await space.run('help', 'retry again');
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^No page has 'retry again'/) as string,
    });
    expect((await space.run('help', 'chekc')).stderr).toMatch(/Did you mean check\?/);
  });

  test('of a topic is its page, found by its name or by a word in it', async () => {
    const page = readFileSync(join(repository, 'docs/reference/expressions.md'), 'utf8');
    expect((await space.run('help', 'expressions')).stdout.trim()).toBe(page.trim());
    expect((await space.run('help', 'recipes/transactions')).stdout).toMatch(/^# Transactions\n/);
    expect((await space.run('help', 'topics')).stdout).toMatch(/^# Documents\n/);
    const { status, stdout } = await space.run('help', 'multipart_file');
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^ {2}apikiln help reference\/requests$/m) as string,
    });
  });

  test.each([
    ...[
      'JWT',
      'ETag',
      'Cache-Control',
      'Location',
      'redirect',
      'cookie',
      'CORS',
      'CSV',
      'NDJSON',
      'problem+json',
    ],
    ...[
      'rate limit',
      'cache',
      'queue',
      'Kafka',
      'e-mail',
      'S3',
      'GraphQL',
      'web socket',
      'server-sent events',
    ],
    ...['webhook', 'HMAC', 'signature', 'idempotency', 'retry', 'back-off', 'Retry-After', 'OAuth', 'outbox'],
    ...[
      'row level',
      'tenant',
      'cursor',
      'upsert',
      'bulk insert',
      'migration',
      'limitation',
      'FAQ',
      'metrics',
    ],
    ...['websocket', 'vscode', 'playground', 'mcp', 'docker compose', 'postman'],
  ])("finds a page for the word '%s'", (word) => {
    expect(helpOfTopic(word)).toBeDefined();
  });

  test('of what is neither a command nor a word of the documents is a suggestion', async () => {
    const { status, stderr } = await space.run('help', 'chekc');
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('Did you mean check?') as string,
    });
  });

  test('names every exit status', async () => {
    const { stdout } = await space.run('--help');
    for (const status of Object.values(exitStatus))
      expect(stdout).toMatch(new RegExp(`^ {2}${status} {2}\\w`, 'm'));
  });

  test('is printed on standard error if there is no command', async () => {
    const { status, stdout, stderr } = await space.run();
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('Usage: apikiln <command> [options]');
  });

  test('--version prints the version of the package', async () => {
    expect(await space.run('--version')).toMatchObject({ status: 0, stdout: '0.1.0\n' });
  });
});

describe('wrong use ends with status 2 and suggests what to try', () => {
  test.each([
    ['nope', "error: unknown command 'nope'\nTry: apikiln --help\n"],
    ['chekc', "error: unknown command 'chekc'\n(Did you mean check?)\nTry: apikiln --help\n"],
    ['help bulid', "error: unknown command 'bulid'\n(Did you mean build?)\nTry: apikiln --help\n"],
    [
      'check --format xml',
      "error: option '--format <format>' argument 'xml' is invalid. Allowed choices are text, json, sarif, github.\nTry: apikiln check --help\n",
    ],
    [
      'check --max-warnings -1',
      "error: option '--max-warnings <n>' argument '-1' is invalid. It must be a whole number.\nTry: apikiln check --help\n",
    ],
    [
      'check a b',
      "error: too many arguments for 'check'. Expected 1 argument but got 2.\nTry: apikiln check --help\n",
    ],
    ['check --verbse', "error: unknown option '--verbse'\nTry: apikiln check --help\n"],
    [
      'check --shema',
      "error: unknown option '--shema'\n(Did you mean --schema?)\nTry: apikiln check --help\n",
    ],
  ])('%s', async (line, stderr) => {
    expect(await space.run(...line.split(' '))).toEqual({ status: 2, stdout: '', stderr });
  });

  test('an empty --out is not a folder', async () => {
    space.write('config.yaml', configuration('GET /a'));
    expect((await space.run('build', '--out', '')).status).toBe(2);
    expect(Object.keys(space.files())).toEqual(['config.yaml']);
  });
});

describe('the configuration', () => {
  test('is ./config.yaml where none is named', async () => {
    space.write('config.yaml', configuration('GET /a'));
    expect(await space.run('check')).toMatchObject({
      status: 0,
      stdout: '',
      stderr: 'config.yaml is fine.\n',
    });
  });

  test('is not the file of tests', async () => {
    expect(await space.run('test', 'news.test.yaml')).toEqual({
      status: 2,
      stdout: '',
      stderr:
        'news.test.yaml holds tests: name the configuration, and the tests with --tests news.test.yaml\n',
    });
  });

  test('that is not there: one sentence, status 4', async () => {
    expect(await space.run('check')).toEqual({
      status: 4,
      stdout: '',
      stderr:
        'There is no config.yaml and no /app/config.yaml. Name the configuration as the argument [config].\n',
    });
    expect(await space.run('build', 'other.yaml', '--out', 'out')).toEqual({
      status: 4,
      stdout: '',
      stderr: 'other.yaml cannot be read: there is no such file.\n',
    });
  });

  test('that is a folder: one sentence, status 4', async () => {
    mkdirSync(space.path('folder'));
    expect(await space.run('check', 'folder')).toEqual({
      status: 4,
      stdout: '',
      stderr: 'folder cannot be read: it is a folder.\n',
    });
  });

  test('that is a device, a pipe or a cycle of links: one sentence, status 4', async () => {
    execFileSync('mkfifo', [space.path('pipe')]);
    symlinkSync('circle', space.path('circle'));
    for (const [path, why] of [
      ['/dev/zero', 'it is not a file'],
      ['pipe', 'it is not a file'],
      ['circle', 'its links form a cycle'],
    ] as const)
      expect(await space.run('check', path)).toEqual({
        status: 4,
        stdout: '',
        stderr: `${path} cannot be read: ${why}.\n`,
      });
  });

  test('that is not UTF-8: one sentence, status 1', async () => {
    space.write('config.yaml', Buffer.from([0x73, 0xe9, 0x0a]));
    expect(await space.run('check')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'config.yaml is not UTF-8 text. Save it as UTF-8.\n',
    });
  });

  test('may begin with a byte order mark', async () => {
    space.write('config.yaml', `\ufeff${configuration('GET /a')}`);
    expect((await space.run('check')).status).toBe(0);
  });
});

describe('diagnostics', () => {
  beforeEach(() => {
    space.write('config.yaml', wrongConfiguration);
    space.write('warnings.yaml', warningConfiguration);
  });

  test('go to standard error as text, with their count', async () => {
    const { status, stdout, stderr } = await space.run('check');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^config\.yaml:1:16: warning /m);
    expect(stderr).toMatch(/^config\.yaml:9:35: error .*'nwes'/m);
    expect(stderr).toMatch(/\n1 error, 2 warnings\n$/);
    expect(stderr).not.toContain('hunter2');
  });

  test('go to standard output as one JSON document', async () => {
    const { status, stdout, stderr } = await space.run('check', '--format', 'json');
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: object[] };
    expect(diagnostics).toHaveLength(3);
    expect(diagnostics[1]).toEqual({
      file: 'config.yaml',
      line: 9,
      column: 35,
      endLine: 9,
      endColumn: 39,
      severity: 'error',
      code: 'unknown-fulfillment',
      message: "Unknown fulfillment 'nwes'.",
      hint: "Did you mean 'news'?",
      related: [],
      fixes: [{ safe: false, edits: [{ line: 9, column: 35, endLine: 9, endColumn: 39, text: 'news' }] }],
    });
    expect(stdout).not.toContain('hunter2');
    expect((await space.run('build', '--out', 'out', '--format', 'json')).stdout).toBe(stdout);
  });

  test('are a thousand as text at most, and all of them as JSON', async () => {
    const query = `SELECT ${Array(1500).fill(':[PARAM(x]').join(', ')}`;
    space.write('config.yaml', configuration('GET /a').replace("SELECT 'GET /a'", query));
    const { stderr } = await space.run('check');
    expect(stderr.match(/^config\.yaml:\d+:\d+: /gm)).toHaveLength(1000);
    const [, hidden = ''] =
      /\n(\d+) more are not shown here; --format json has all of them\.\n/.exec(stderr) ?? [];
    const { stdout } = await space.run('check', '--format', 'json');
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: object[] };
    expect(diagnostics).toHaveLength(1000 + Number(hidden));
    expect(Number(hidden)).toBeGreaterThan(400);
  });

  test('lead to documents that are in the package', () => {
    const { files } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      files: string[];
    };
    expect(files).toEqual(expect.arrayContaining(['docs', 'CHANGELOG.md']));
  });

  test('are a JSON document also when there are none', async () => {
    space.write('config.yaml', configuration('GET /a'));
    expect(await space.run('check', '--format', 'json')).toEqual({
      status: 0,
      stdout: '{\n  "diagnostics": []\n}\n',
      stderr: '',
    });
  });

  test('of build are those of check', async () => {
    const [check, build] = [await space.run('check'), await space.run('build', '--out', 'out')];
    expect(build).toEqual(check);
  });

  test('--quiet prints only errors, in either format', async () => {
    const quiet = await space.run('check', '--quiet');
    expect(quiet.stderr).not.toContain('warning');
    expect(quiet.stderr).toMatch(/\n1 error\n$/);
    const json = await space.run('check', '--quiet', '--format', 'json');
    expect((JSON.parse(json.stdout) as { diagnostics: object[] }).diagnostics).toHaveLength(1);
    expect(await space.run('check', 'warnings.yaml', '--quiet')).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });
    expect(await space.run('build', 'warnings.yaml', '--quiet', '--out', 'out')).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });
  });

  test('--max-warnings is the most that are allowed', async () => {
    expect((await space.run('check', 'warnings.yaml', '--max-warnings', '2')).status).toBe(0);
    const { status, stderr } = await space.run('check', 'warnings.yaml', '--max-warnings', '1');
    expect(status).toBe(1);
    expect(stderr).toMatch(/\nThere are 2 warnings; at most 1 are allowed\.\n$/);
  });
});

describe('--format json is one document, and nothing else is printed', () => {
  interface Document {
    diagnostics: object[];
    error?: { status: number; message: string; details?: string[] };
    conflicts?: object[];
    changes?: object[];
  }

  async function document(...args: string[]): Promise<Document & { status: number }> {
    const { status, stdout, stderr } = await space.run(...args);
    expect(stderr).toBe('');
    return { status, ...(JSON.parse(stdout) as Document) };
  }

  test.each([
    [
      'nope --format json',
      2,
      "Unknown command 'nope'. The commands are init, build, check, dev, token, serve, test, openapi, explain, diff, audit, doctor, hash, completion, lsp, mcp, schema.",
    ],
    ['check --format=json --verbse', 2, "Unknown option '--verbse'."],
    ['check missing.yaml --format json', 4, 'missing.yaml cannot be read: there is no such file.'],
    ['build missing.yaml --out out --format json', 4, 'missing.yaml cannot be read: there is no such file.'],
  ])('%s: status %i', async (line, status, message) => {
    expect(await document(...line.split(' '))).toEqual({
      status,
      diagnostics: [],
      error: { status, message },
    });
  });

  test('a folder in the way: status 1, with what is in it', async () => {
    space.write('config.yaml', configuration('GET /a'));
    const built = await document('build', '--out', 'out', '--format', 'json');
    expect(built).toMatchObject({ status: 0, diagnostics: [] });
    expect(built.changes?.length).toBeGreaterThan(10);
    space.write('out/src/main.ts', 'edited by hand');
    expect(await document('build', '--out', 'out', '--format', 'json')).toEqual({
      status: 1,
      diagnostics: [],
      conflicts: [{ path: 'src/main.ts', reason: 'edited' }],
    });
  });
});

describe('a failure of the compiler itself', () => {
  const bug =
    'This is a bug in apikiln. Please report it with these lines and, without its secrets, the configuration.';

  beforeEach(() => {
    space.write('config.yaml', configuration('GET /a'));
    process.env['APIKILN_PROVOKE_FAILURE'] = '1';
  });

  afterEach(() => {
    delete process.env['APIKILN_PROVOKE_FAILURE'];
  });

  test.each(['check', 'build --out out', 'serve', 'openapi'])(
    '%s: one sentence, status 5, and no word of the configuration',
    async (line) => {
      const { status, stdout, stderr } = await space.run(...line.split(' '));
      expect({ status, stdout }).toEqual({ status: 5, stdout: '' });
      expect(stderr.split('\n')[0]).toBe(bug);
      expect(stderr).toMatch(/\n {2}apikiln 0\.1\.0, Node \d/);
      expect(stderr).toContain("Error: provoked by '…'\n");
      expect(stderr).not.toContain('hunter2');
    },
  );

  test.each(['check', 'build --out out'])('%s --format json: one document', async (line) => {
    const { status, stdout, stderr } = await space.run(...line.split(' '), '--format', 'json');
    expect({ status, stderr }).toEqual({ status: 5, stderr: '' });
    const { diagnostics, error } = JSON.parse(stdout) as {
      diagnostics: object[];
      error: { status: number; message: string; details: string[] };
    };
    expect(diagnostics).toEqual([]);
    expect(error).toMatchObject({ status: 5, message: bug });
    expect(error.details[1]).toBe("Error: provoked by '…'");
    expect(stdout).not.toContain('hunter2');
  });
});

describe('as a process', () => {
  let cli: string;
  beforeAll(async () => {
    cli = await builtTool();
  });

  /** Runs `apikiln …` as a separate process. */
  async function apikiln(...args: string[]): Promise<Outcome> {
    const run = promisify(execFile)(process.execPath, [cli, ...args], { cwd: space.folder });
    try {
      return { status: 0, ...(await run) };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const { code, stdout, stderr } = error as Error & { code: number; stdout: string; stderr: string };
      return { status: code, stdout, stderr };
    }
  }

  test('streams and statuses are those of the commands, and there is no colour where there is no terminal', async () => {
    space.write('config.yaml', wrongConfiguration);
    space.write('fine/config.yaml', configuration('GET /a'));
    const lines = ['check --no-color', 'nope', 'check missing.yaml', 'build fine/config.yaml --out out'];
    const [wrong, usage, missing, built] = await Promise.all(
      lines.map((line) => apikiln(...line.split(' '))),
    );
    expect(wrong).toEqual(await space.run('check'));
    expect(usage?.status).toBe(2);
    expect(missing?.status).toBe(4);
    expect(built).toMatchObject({ status: 0, stdout: '' });
    const [drift] = await Promise.all([apikiln('build', 'fine/config.yaml', '--out', 'other', '--check')]);
    expect(drift.status).toBe(3);
    expect(drift.stdout).toMatch(/^added \.apikiln\.json\n/);
  });

  test('a reader that has seen enough, such as head, ends it without a word of its own', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `GET /news${index}`);
    space.write('config.yaml', configuration(...names).replaceAll('"READ"', '"REED"'));
    for (const [format, first] of [
      ['text', /^config\.yaml:.* error /],
      ['json', /^\{$/],
    ] as const) {
      const line = `"$0" "$1" check --no-color --format ${format} 2>&1 | head -1; echo "\${PIPESTATUS[0]}"`;
      const shell = promisify(execFile)('bash', ['-c', line, process.execPath, cli], {
        cwd: space.folder,
      });
      const { stdout, stderr } = await shell;
      const [seen = '', status, ...others] = stdout.trimEnd().split('\n');
      expect(seen).toMatch(first);
      expect([status, others, stderr]).toEqual(['1', [], '']);
    }
  });
});
