/**
 * The GitHub Action on a pull request: each step of `.github/actions/apikiln/action.yml` runs with the environment that GitHub gives it, in
 * a repository with a base, a branch and a remote.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readDocument } from '../documents/code-blocks.js';
import { repository } from '../helpers/service-fixture.js';
import { builtTool } from '../helpers/shared-servers.js';

const actionFolder = join(repository, '.github/actions/apikiln');

interface Step {
  readonly id: string;
  readonly if?: string;
  readonly shell: string;
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
}

const action = parse(readFileSync(join(actionFolder, 'action.yml'), 'utf8')) as {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
};

/** A step of a workflow. */
interface WorkflowStep {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly run?: string;
}

/** The event as GitHub describes it. */
interface Event {
  /** `github.event.pull_request.base.sha`; empty for other events. */
  readonly baseSha?: string;
  /** The name of the base branch. */
  readonly baseRef?: string;
  /** The ref that is checked out by default. */
  readonly ref?: string;
}

interface Ran {
  readonly status: number | null;
  readonly output: string;
}

const configuration = (columns: readonly string[]): string => `specification: "1.0"
operations:
  'GET /news/{id}':
    fulfillments:
      - name: news
        type: READ
        datasource: newsdb
        instructions:
          - query: SELECT ${columns.join(', ')} FROM news WHERE id = :[PARAM(id)]
        exceptions:
          - { if: 'SIZE(VALUE(news, $)) == INTEGER(0)', statuscode: 404, message: Not found }
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema:
${columns.map((column) => `          ${column}: VALUE(news, $.${column})\n`).join('')}datasources:
  newsdb: { type: db, url: 'jdbc:postgresql://localhost/news' }
`;

const both = configuration(['id', 'title']);

let root = '';
/** The checkout: GITHUB_WORKSPACE. */
let workspace = '';

beforeAll(async () => {
  await builtTool();
});

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'apikiln-action-'));
  workspace = join(root, 'the checkout');
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function git(folder: string, ...args: readonly string[]): string {
  const identity = [
    '-c',
    'user.name=Ada',
    '-c',
    'user.email=ada@example.com',
    '-c',
    'init.defaultBranch=main',
  ];
  return execFileSync('git', [...identity, '-C', folder, ...args], { encoding: 'utf8' }).trim();
}

/** A repository with one commit on `branch`, and a shallow checkout of it, as by actions/checkout. Returns the commit. */
function checkOut(files: Readonly<Record<string, string>>, branch = 'main'): string {
  const origin = join(root, 'origin');
  mkdirSync(origin);
  git(origin, 'init', '--quiet', `--initial-branch=${branch}`);
  git(origin, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  writeFiles(origin, files);
  git(origin, 'add', '--all');
  git(origin, 'commit', '--quiet', '--message', 'Base');
  const base = git(origin, 'rev-parse', 'HEAD');
  git(origin, 'checkout', '--quiet', '--orphan', 'head');
  git(origin, 'commit', '--quiet', '--message', 'Head');
  git(
    root,
    'clone',
    '--quiet',
    '--depth=1',
    '--single-branch',
    '--branch=head',
    `file://${origin}`,
    workspace,
  );
  return base;
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Installs the tool as `npm ci` would. */
function install(folder = '.'): void {
  mkdirSync(join(workspace, folder, 'node_modules'), { recursive: true });
  symlinkSync(repository, join(workspace, folder, 'node_modules/apikiln'));
}

/** Runs a step as the runner of GitHub does: the script is a file, and expressions are replaced in `env`. */
function run(id: string, inputs: Readonly<Record<string, string>> = {}, event: Event = {}): Ran {
  const step = action.runs.steps.find((one) => one.id === id);
  if (step === undefined) throw new Error(`The action has no step ${id}.`);
  const valueOf = (text: string): string =>
    text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
      if (expression === 'github.event.pull_request.base.sha') return event.baseSha ?? '';
      const [, name = ''] = /^inputs\.([\w-]+)$/.exec(expression) ?? [];
      const input = action.inputs[name];
      if (input === undefined) throw new Error(`${expression} is unknown.`);
      return inputs[name] ?? valueOf(input.default);
    });
  const script = join(root, `${id}.sh`);
  writeFileSync(script, step.run);
  const { status, stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
    cwd: workspace,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      HOME: root,
      RUNNER_TEMP: root,
      GITHUB_ACTIONS: 'true',
      GITHUB_ACTION_PATH: actionFolder,
      GITHUB_WORKSPACE: workspace,
      GITHUB_BASE_REF: event.baseRef ?? '',
      GITHUB_REF: event.ref ?? 'refs/pull/1/head',
      GITHUB_OUTPUT: join(root, 'output'),
      GITHUB_STEP_SUMMARY: join(root, 'summary'),
      ...Object.fromEntries(Object.entries(step.env).map(([name, text]) => [name, valueOf(text)])),
    },
  });
  return { status, output: `${stdout}${stderr}` };
}

/** The outputs that a step has set, as the runner reads them. */
function outputs(): Record<string, string> {
  const text = existsSync(join(root, 'output')) ? readFileSync(join(root, 'output'), 'utf8') : '';
  const found = text.matchAll(/^([\w-]+)<<(\S+)\n([^]*?)\n\2\n/gm);
  return Object.fromEntries([...found].map(([, name = '', , value = '']) => [name, value]));
}

function summary(): string {
  return readFileSync(join(root, 'summary'), 'utf8').trimEnd();
}

test('the action is composite, and no input is in the text of a script', () => {
  expect(action.runs.using).toBe('composite');
  for (const { run: script, shell, id } of action.runs.steps) {
    expect({ shell, script }).toEqual({
      shell: 'bash',
      script: `bash "$GITHUB_ACTION_PATH/apikiln.sh" ${id}`,
    });
  }
  // Every output is that of a step.
  for (const [name, { value }] of Object.entries(action.outputs))
    expect(value).toBe(`\${{ steps.diff.outputs.${name} }}`);
});

test('the workflow of the reference uses inputs and outputs that exist', () => {
  const { blocks } = readDocument('docs/reference/continuous-integration.md');
  const text = blocks.find(({ words }) => words[0] === 'workflow')?.text ?? '';
  const { jobs } = parse(text) as {
    readonly jobs: Readonly<Record<string, { readonly steps: readonly WorkflowStep[] }>>;
  };
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const used = steps.find(({ uses }) => uses?.startsWith('OWNER/apikiln/.github/actions/apikiln@'));
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(used?.with ?? {})));
  const outputs = [...text.matchAll(/steps\.apikiln\.outputs\.([\w-]+)/g)].map(([, name]) => name);
  expect(outputs.length).toBeGreaterThan(0);
  expect(Object.keys(action.outputs)).toEqual(expect.arrayContaining(outputs));
  // Values of expressions in the text of a script would be code.
  expect(steps.filter(({ run: script }) => script?.includes('${{'))).toEqual([]);
});

describe('check', () => {
  test('annotates lines of the repository', () => {
    checkOut({ 'services/a b/config.yaml': both.replace('VALUE(news, $.title)', 'VALUE(nwes, $.title)') });
    install('services');
    const { status, output } = run('check', { config: 'services/a b/config.yaml', options: '--no-schema\n' });
    expect(status).toBe(1);
    expect(output).toContain('::error file=services/a b/config.yaml,line=18,endLine=18,col=24,');
    expect(output).toContain('title=unknown-fulfillment::');
  });

  test('passes options, each as one argument', () => {
    checkOut({ 'config.yaml': both, 'my schema.sql': 'CREATE TABLE news (id integer PRIMARY KEY);' });
    install();
    const { status, output } = run('check', { options: '--schema\nmy schema.sql\n--quiet\n' });
    expect(status).toBe(1);
    expect(output).toContain('title=sql-refused::');
  });

  test.each(['../config.yaml', '/etc/passwd', 'a/../../b.yaml', '', 'nowhere.yaml\n::error::x'])(
    'refuses the configuration %j',
    (config) => {
      checkOut({ 'config.yaml': both });
      install();
      const { status, output } = run('check', { config });
      expect(status).toBe(1);
      expect(output.trimEnd().split('\n')).toHaveLength(1);
      expect(output).toMatch(/^::error::/);
    },
  );

  test('reports a missing installation', () => {
    checkOut({ 'config.yaml': both });
    const { status, output } = run('check');
    expect({ status, output }).toEqual({
      status: 1,
      output: '::error::apikiln is not installed: run npm ci before this action.\n',
    });
  });
});

describe('diff', () => {
  test('is the summary and an output, and fails only if asked', () => {
    const baseSha = checkOut({ 'services/a b/config.yaml': both });
    install();
    const config = 'services/a b/config.yaml';
    writeFiles(workspace, { [config]: configuration(['id']) });
    const { status, output } = run('diff', { config }, { baseSha, baseRef: 'main' });
    expect({ status, output }).toEqual({ status: 0, output: '' });
    expect(summary()).toMatch(/^## Breaks clients\n\n- `GET \/news\/\{id\}`: .*title/);
    expect(outputs()).toEqual({ diff: summary(), breaking: 'true' });
    // Nobody can guess the end of an output.
    const ends = [...readFileSync(join(root, 'output'), 'utf8').matchAll(/<<(end-[0-9a-f]{32})$/gm)];
    expect(new Set(ends.map(([, end]) => end)).size).toBe(2);
    const failing = run('diff', { config, 'fail-on-breaking': 'true' }, { baseSha });
    expect(failing.status).toBe(1);
    expect(failing.output).toContain('::error::The change breaks clients.');
  });

  test('an addition does not break clients', () => {
    const baseSha = checkOut({ 'config.yaml': configuration(['id']) });
    install();
    writeFiles(workspace, { 'config.yaml': both });
    expect(run('diff', { 'fail-on-breaking': 'true' }, { baseSha }).status).toBe(0);
    expect(outputs()['breaking']).toBe('false');
    expect(outputs()['diff']).toContain('## Does not break clients');
  });

  test('reads files of the base in other folders', () => {
    const schema = 'CREATE TABLE news (id integer PRIMARY KEY, title text NOT NULL);';
    const baseSha = checkOut({ 'a/config.yaml': both, 'a/schema.sql': schema });
    install();
    writeFiles(workspace, { 'a/schema.sql': schema.replace(' NOT NULL', '') });
    expect(run('diff', { config: 'a/config.yaml' }, { baseSha }).status).toBe(0);
    expect(outputs()['diff']).toMatch(/title.*null/);
  });

  // Git does not accept spaces in names of branches.
  test.each(['main', 'a;touch${IFS}hacked', '$(touch${IFS}hacked)', "x`touch${IFS}hacked`'"])(
    'with the base branch %j',
    (baseRef) => {
      checkOut({ 'config.yaml': both }, baseRef);
      install();
      writeFiles(workspace, { 'config.yaml': configuration(['id']) });
      const { status, output } = run('diff', {}, { baseRef });
      expect({ status, output }).toEqual({ status: 0, output: '' });
      expect(outputs()['breaking']).toBe('true');
      expect(existsSync(join(workspace, 'hacked'))).toBe(false);
    },
  );

  test('a merge is compared with the branch into which it merges', () => {
    const baseSha = checkOut({ 'config.yaml': configuration(['id']) });
    const origin = join(root, 'origin');
    // The branch moves after the event: it gets the title.
    git(origin, 'checkout', '--quiet', 'main');
    writeFiles(origin, { 'config.yaml': both });
    git(origin, 'commit', '--quiet', '--all', '--message', 'Title');
    git(origin, 'checkout', '--quiet', '-b', 'pull', baseSha);
    git(origin, 'commit', '--quiet', '--allow-empty', '--message', 'Pull');
    git(origin, 'checkout', '--quiet', '-b', 'merge', 'main');
    git(origin, 'merge', '--quiet', '--no-ff', '--message', 'Merge', 'pull');
    rmSync(workspace, { recursive: true });
    git(
      root,
      'clone',
      '--quiet',
      '--depth=1',
      '--single-branch',
      '--branch=merge',
      `file://${origin}`,
      workspace,
    );
    install();
    expect(run('diff', {}, { baseSha, ref: 'refs/pull/1/merge' })).toEqual({ status: 0, output: '' });
    expect(outputs()['diff']).toBe('Nothing changes for clients or in what is sent.');
    expect(run('diff', {}, { baseSha, ref: 'refs/pull/1/head' }).status).toBe(0);
    expect(summary()).toContain('## Does not break clients');
  });

  test.each(['--upload-pack=touch hacked', '-u', 'a..b', 'x\n::error::y', 'nowhere'])(
    'refuses the base %j',
    (base) => {
      checkOut({ 'config.yaml': both });
      install();
      const { status, output } = run('diff', { base });
      expect(status).toBe(1);
      const errors = output.split('\n').filter((line) => line.startsWith('::'));
      expect(errors).toHaveLength(1);
      expect(errors[0]).toMatch(/^::error::The base /);
      expect(existsSync(join(workspace, 'hacked'))).toBe(false);
    },
  );

  test('reads the base in a checkout that is a folder of the workspace', () => {
    const baseSha = checkOut({ 'api/config.yaml': both });
    renameSync(workspace, `${workspace}.moved`);
    mkdirSync(workspace);
    renameSync(`${workspace}.moved`, join(workspace, 'my app'));
    install();
    writeFiles(workspace, { 'my app/api/config.yaml': configuration(['id']) });
    expect(run('diff', { config: 'my app/api/config.yaml' }, { baseSha }).status).toBe(0);
    expect(outputs()['breaking']).toBe('true');
  });

  test('reports a configuration that is new', () => {
    const baseSha = checkOut({ 'README.md': 'News' });
    install();
    writeFiles(workspace, { 'config.yaml': both });
    expect(run('diff', {}, { baseSha }).status).toBe(0);
    expect(outputs()).toEqual({
      diff: '## New configuration\n\nThe base has no `config.yaml` at this path.',
      breaking: 'false',
    });
  });

  test('sets no output if a configuration has errors, and none without a base', () => {
    const baseSha = checkOut({ 'config.yaml': both });
    install();
    writeFiles(workspace, { 'config.yaml': both.replace('(news', '(nwes') });
    expect(run('diff', {}, { baseSha }).status).toBe(1);
    const { status, output } = run('diff');
    expect({ status, output }).toEqual({ status: 0, output: 'Not compared: the event has no base.\n' });
    expect(outputs()).toEqual({});
  });

  test('texts of the configuration stay text in the summary and in the output', () => {
    const baseSha = checkOut({ 'config.yaml': both });
    install();
    const hostile = both
      .replace('message: Not found', 'message: "x\\ndiff<<end\\n<img src=x>\\n::error::x"')
      .replace('/news/{id}', '/news<b>/{id}');
    writeFiles(workspace, { 'config.yaml': hostile });
    const { output } = run('diff', {}, { baseSha });
    expect(output).not.toMatch(/^::/m);
    expect(Object.keys(outputs())).toEqual(['diff', 'breaking']);
    expect(outputs()['diff']).toBe(summary());
    expect(summary().replaceAll(/`[^`]*`/g, '')).not.toMatch(/<b>|<img/);
  });
});

describe('build', () => {
  test('finds drift of the folder of the service', () => {
    checkOut({ 'config.yaml': both });
    install();
    const tool = join(repository, 'dist/compiler/cli.js');
    execFileSync(process.execPath, [tool, 'build'], { cwd: workspace, stdio: 'ignore' });
    expect(run('build').status).toBe(0);
    writeFiles(workspace, { 'config.yaml': configuration(['id']) });
    const { status, output } = run('build');
    expect(status).toBe(1);
    expect(output).toMatch(
      /^::error file=service\/src\/.*get-news-by-id\.ts,title=drift::The file differs /m,
    );
    expect(output).toContain('::error::The folder service differs from the configuration.');
    expect(run('build', { build: 'false' }).status).toBe(0);
    // Errors have been annotated by check.
    writeFiles(workspace, { 'config.yaml': both.replace('(news', '(nwes') });
    expect(run('build')).toEqual({ status: 1, output: 'Not compared: the configuration has errors.\n' });
  });

  test('runs only if the folder exists, or if it is asked for', () => {
    checkOut({ 'config.yaml': both });
    install();
    const { status, output } = run('build');
    expect({ status, output }).toEqual({
      status: 0,
      output: 'Not built: there is no folder of the service.\n',
    });
    expect(run('build', { build: 'true', out: 'my service' }).status).toBe(1);
    expect(run('build', { build: 'yes' }).output).toBe(
      '::error::The input build is auto, true or false: yes\n',
    );
  });
});
