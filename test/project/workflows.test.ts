/** The workflows of GitHub: valid, with pinned actions and few permissions, and with commands that exist. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Parser from '@actions/workflow-parser';
import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { repository } from '../helpers/service-fixture.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Workflow {
  readonly permissions?: unknown;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly 'timeout-minutes'?: number;
        readonly strategy?: { readonly matrix: { readonly node?: readonly number[] } };
        readonly steps: readonly Step[];
      }
    >
  >;
}

const folder = join(repository, '.github/workflows');
const names = readdirSync(folder).sort();

function textOf(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

let parser: typeof Parser;

/** GitHub's parser imports JSON in a way that only bundlers know. */
beforeAll(async () => {
  const place = mkdtempSync(join(tmpdir(), 'apikiln-workflows-'));
  const outfile = join(place, 'parser.mjs');
  const stdin = { contents: "export * from '@actions/workflow-parser';", resolveDir: repository };
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' });
  parser = (await import(pathToFileURL(outfile).href)) as typeof parser;
  rmSync(place, { recursive: true });
});

function errorsOf(name: string, content: string): string[] {
  const { NoOperationTraceWriter, parseWorkflow } = parser;
  const { context } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  return context.errors.getErrors().map(({ message }) => message);
}

const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

describe.each(names)('%s', (name) => {
  const text = textOf(name);
  const workflow = parse(text) as Workflow;
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  test('is valid', () => {
    expect(errorsOf(name, text)).toEqual([]);
  });

  test('pins each action by its commit, with the version next to it', () => {
    const used = [...text.matchAll(/^ *-? *uses: (.+)$/gm)].map(([, action = '']) => action);
    expect(used.length).toBe(steps.filter(({ uses }) => uses !== undefined).length);
    expect(used.filter((action) => !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$|^\.\//.test(action))).toEqual(
      [],
    );
  });

  test('may only read unless a job says otherwise, and ends', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    expect(jobs.filter((job) => job['timeout-minutes'] === undefined)).toEqual([]);
  });

  test('inserts nothing into its commands, and runs scripts that exist', () => {
    const commands = steps.flatMap(({ run }) => run ?? []);
    expect(commands.filter((command) => command.includes('${{'))).toEqual([]);
    const run = commands.flatMap((command) =>
      [...command.matchAll(/\bnpm (?:run )?(?:--\w+ )*(test|[\w:]+:[\w:]+|smoke)\b/g)].map(
        ([, script = '']) => script,
      ),
    );
    expect(run.filter((script) => !(script in scripts))).toEqual([]);
  });
});

test('there are workflows for tests, a smoke run, a release and CodeQL', () => {
  expect(names).toEqual(expect.arrayContaining(['codeql.yml', 'release.yml', 'smoke.yml', 'tests.yml']));
});

test('a mistake in a workflow is found', () => {
  const wrong = textOf('tests.yml').replace('runs-on:', 'run-on:');
  expect(errorsOf('tests.yml', wrong)).not.toEqual([]);
  const unknown = textOf('tests.yml').replace('matrix.node', 'matrx.node');
  expect(errorsOf('tests.yml', unknown)).not.toEqual([]);
});

test('the tests run on the versions of Node that the policy lists, the oldest of which every package needs', () => {
  const { jobs } = parse(textOf('tests.yml')) as Workflow;
  const policy = readFileSync(join(repository, 'docs/reference/support.md'), 'utf8');
  const listed = [...policy.matchAll(/^\| (\d+) +\|/gm)].map(([, version]) => Number(version)).sort();
  expect(jobs['quick']?.strategy?.matrix.node).toEqual(listed);
  for (const path of ['package.json', 'runtime/package.json', 'compiler/tools/create/package.json']) {
    const { engines } = JSON.parse(readFileSync(join(repository, path), 'utf8')) as {
      readonly engines: { readonly node: string };
    };
    expect(engines.node).toBe(`>=${listed[0] ?? ''}.19`);
  }
});

test('Dependabot and the issue forms are YAML that names what exists', () => {
  const updates = parse(readFileSync(join(repository, '.github/dependabot.yml'), 'utf8')) as {
    readonly updates: readonly { readonly 'package-ecosystem': string; readonly directory: string }[];
  };
  expect(updates.updates.map((one) => one['package-ecosystem'])).toEqual([
    'npm',
    'npm',
    'github-actions',
    'docker',
  ]);
  for (const { directory } of updates.updates) expect(existsSync(join(repository, directory))).toBe(true);
  const forms = readdirSync(join(repository, '.github/ISSUE_TEMPLATE')).filter(
    (name) => name !== 'config.yml',
  );
  for (const name of forms) {
    const form = parse(readFileSync(join(repository, '.github/ISSUE_TEMPLATE', name), 'utf8')) as {
      readonly name: string;
      readonly description: string;
      readonly body: readonly { readonly type: string; readonly id?: string }[];
    };
    expect([typeof form.name, typeof form.description], name).toEqual(['string', 'string']);
    const ids = form.body.flatMap(({ id }) => id ?? []);
    expect(new Set(ids).size, name).toBe(ids.length);
    expect(ids.length, name).toBeGreaterThan(0);
  }
});
