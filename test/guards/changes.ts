/**
 * For each kind of fixture, document and comparing helper: an expectation that is changed in a copy of the repository, and the tests that
 * must then fail. A new kind of fixture needs its own entry.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { FixtureRequest, RequestsFile } from '../helpers/service-fixture.js';

export interface Change {
  /** A description of the changed expectation. */
  readonly name: string;
  /** The test file that must detect the change. */
  readonly tests: string;
  /** Matches the full names of all tests that must fail. */
  readonly fails: RegExp;
  /** Text that one of the failure messages must contain. If set, some of these tests may pass. */
  readonly message?: string;
  /** Changes files in the copy. */
  readonly apply: (root: string) => void;
}

/** Enough service fixtures to cover each kind of comparison: each of their requests is changed. */
export const spoiledServices = ['news', 'weather'];

/** All service fixtures in the copy, because each must be compiled and run; includes those with user files, which only requests compare. */
export const keptServices = [...spoiledServices, 'own-code', 'own-login', 'own-routes'];

/** The comparing keys of a request, each with a wrong value. */
const wrongValues: Readonly<Record<string, (request: FixtureRequest) => Partial<FixtureRequest>>> = {
  status: ({ status }) => ({ status: status + 1 }),
  response: () => ({ response: { changed: true } }),
  text: ({ text = '' }) => ({ text: `${text} ` }),
  message: ({ message = '' }) => ({ message: `${message} changed` }),
  responseHeader: ({ responseHeader }) => ({ responseHeader: { ...responseHeader, 'x-changed': 'yes' } }),
  receives: ({ receives = [] }) => ({ receives: [...receives, { request: 'GET /changed' }] }),
  'receives.header': ({ receives = [] }) => ({
    receives: receives.map((one) => ({ ...one, header: { ...one.header, 'x-changed': 'yes' } })),
  }),
  'receives.body': ({ receives = [] }) => ({
    receives: receives.map((one) => ({ ...one, body: `${one.body ?? ''} ` })),
  }),
};

/** Whether the request has an expectation for the key. */
function compares(request: FixtureRequest, key: string): boolean {
  if (key === 'receives.header' || key === 'receives.body') return (request.receives?.length ?? 0) > 0;
  return key in request;
}

/**
 * Gives every request of the spoiled fixtures one wrong expectation, preferring the key changed least often so far. Returns how often each
 * key was changed.
 */
export function spoilRequests(root: string): Record<string, number> {
  const counts = Object.fromEntries(Object.keys(wrongValues).map((key) => [key, 0]));
  for (const name of spoiledServices) {
    const path = join(root, 'fixtures/services', name, 'requests.yaml');
    const file = parse(readFileSync(path, 'utf8')) as RequestsFile;
    const requests = file.requests.map((request) => {
      const [rarest = 'status'] = Object.keys(wrongValues)
        .filter((key) => compares(request, key))
        .sort((one, other) => (counts[one] ?? 0) - (counts[other] ?? 0));
      counts[rarest] = (counts[rarest] ?? 0) + 1;
      return { ...request, ...(request.until && { until: 0.1 }), ...wrongValues[rarest]?.(request) };
    });
    writeFileSync(path, stringify({ ...file, requests }));
  }
  return counts;
}

/** Replaces a string of a file; throws if it is missing. */
function replace(path: string, from: string | RegExp, to: string): (root: string) => void {
  return (root) => {
    const text = readFileSync(join(root, path), 'utf8');
    const changed = text.replace(from, () => to);
    if (changed === text) throw new Error(`${path} has nothing to change.`);
    writeFileSync(join(root, path), changed);
  };
}

/** Appends a line to a file. */
function append(path: string): (root: string) => void {
  return (root) => {
    writeFileSync(join(root, path), `${readFileSync(join(root, path), 'utf8')}changed\n`);
  };
}

/** Changes each entry of a table by a function; entries for which it returns undefined stay. */
function spoilTable(path: string, change: (entry: Record<string, unknown>) => object | undefined) {
  return (root: string): void => {
    const entries = parse(readFileSync(join(root, path), 'utf8')) as Record<string, unknown>[];
    writeFileSync(join(root, path), stringify(entries.map((entry) => ({ ...entry, ...change(entry) }))));
  };
}

const services = 'test/fixtures/services.test.ts';
const errors = 'test/check/errors.test.ts';
const expressions = 'test/expression/tables.test.ts';
const explain = 'test/explain/explain.test.ts';

export const changes: readonly Change[] = [
  {
    name: 'the warnings of a service',
    tests: services,
    fails: /'weather-mariadb' has the warnings that it names/,
    apply: replace('fixtures/services/weather/requests.yaml', 'whole-url', 'changed'),
  },
  {
    name: 'a generated file of a service',
    tests: services,
    fails: /'news-postgresql' compiles to the expected output/,
    message: 'src/operations/get-news.ts',
    apply: append('fixtures/services/news/expected/src/operations/get-news.ts'),
  },
  {
    name: 'an expected file that is not generated',
    tests: services,
    fails: /'weather-postgresql' compiles to the expected output/,
    apply: (root) => {
      writeFileSync(join(root, 'fixtures/services/weather/expected/src/changed.ts'), '');
    },
  },
  {
    name: 'the types of own code',
    tests: services,
    fails: /'own-code-postgresql' compiles to the expected output/,
    message: 'src/functions.ts',
    apply: append('fixtures/services/own-code/expected/src/functions.ts'),
  },
  {
    name: 'the context of own routes',
    tests: services,
    fails: /'own-routes-postgresql' compiles to the expected output/,
    message: 'src/context.ts',
    apply: append('fixtures/services/own-routes/expected/src/context.ts'),
  },
  {
    name: 'a function of own code',
    tests: services,
    fails: /'own-code-\w+' running.*in a loop, several at a time/,
    apply: replace('fixtures/services/own-code/code/labelOf.ts', '} for ${', '} at ${'),
  },
  {
    name: 'a route of src/app.ts',
    tests: services,
    fails: /'own-routes-\w+' running.*an operation as a typed function/,
    apply: replace('fixtures/services/own-routes/app.ts', '} for ${', '} at ${'),
  },
  {
    name: 'a middleware',
    tests: services,
    fails: /'own-login-\w+' running.*the caller that src\/middleware/,
    apply: replace('fixtures/services/own-login/middleware.ts', "sub: 'ada'", "sub: 'changed'"),
  },
  {
    name: 'the printed errors of a configuration',
    tests: errors,
    fails: /wrong configurations always-true$/,
    apply: append('fixtures/errors/always-true/expected.txt'),
  },
  {
    name: 'a client',
    tests: 'test/client/clients.test.ts',
    fails: /saas has the expected text$/,
    apply: append('fixtures/clients/saas.ts'),
  },
  {
    name: 'a fixed configuration',
    tests: 'test/check/hints.test.ts',
    fails: /bare-placeholder: all of them, until there is none/,
    apply: append('fixtures/errors/bare-placeholder/fixed.yaml'),
  },
  {
    name: 'statements',
    tests: 'test/sql/fixtures.test.ts',
    fails: /fixtures\/sql\/returning\.yaml/,
    apply: spoilTable('fixtures/sql/returning.yaml', ({ gives }) => ({ gives: `${String(gives)} changed` })),
  },
  {
    name: 'trees of expressions',
    tests: expressions,
    fails: /^Syntax A /,
    apply: spoilTable('fixtures/expressions/syntax-a.yaml', ({ tree }) => ({
      tree: `${String(tree)} changed`,
    })),
  },
  {
    name: 'printed expressions',
    tests: expressions,
    fails: /^Syntax B /,
    apply: spoilTable('fixtures/expressions/syntax-b.yaml', () => ({ prints: 'changed' })),
  },
  {
    name: 'messages of wrong expressions',
    tests: expressions,
    fails: /^wrong texts (?!every diagnostic).*\)$/,
    apply: spoilTable('fixtures/expressions/errors.yaml', ({ told }) => ({
      told: `${String(told)} changed`,
    })),
  },
  {
    name: 'messages of habits',
    tests: 'test/check/habits.test.ts',
    fails: /one message with what to write 'A': /,
    apply: spoilTable('fixtures/habits/mistakes.yaml', ({ syntax, told }) =>
      syntax === 'A' ? { told: `${String(told)} changed` } : undefined,
    ),
  },
  {
    name: 'kinds of fixes of habits',
    tests: 'test/check/habits.test.ts',
    fails: /one message with what to write 'B': /,
    apply: spoilTable('fixtures/habits/mistakes.yaml', ({ syntax, fix }) =>
      syntax === 'B' ? { fix: fix === 'safe' ? 'suggested' : 'safe' } : undefined,
    ),
  },
  ...(
    [
      ['txt', /orders as text$/],
      ['json', /as JSON$/],
      ['mmd', /as a flowchart$/],
    ] as const
  ).map(([ending, fails]) => ({
    name: `explain, ${ending}`,
    tests: explain,
    fails,
    apply: append(`fixtures/explain/orders/expected.${ending}`),
  })),
  ...(
    [
      ['txt', /plain as text$/],
      ['json', /plain as JSON$/],
      ['md', /plain as Markdown$/],
    ] as const
  ).map(([ending, fails]) => ({
    name: `diff, ${ending}`,
    tests: 'test/diff/diff.test.ts',
    fails,
    apply: append(`fixtures/diff/plain/expected.${ending}`),
  })),
  ...(
    [
      ['txt', /risky as text$/],
      ['json', /risky as json$/],
    ] as const
  ).map(([ending, fails]) => ({
    name: `audit, ${ending}`,
    tests: 'test/audit/audit.test.ts',
    fails,
    apply: append(`fixtures/audit/risky/expected.${ending}`),
  })),
  {
    name: 'the printed errors of a test file',
    tests: 'test/testing/wrong-files.test.ts',
    fails: /wrong test files test-value/,
    apply: append('fixtures/test-errors/test-value/expected.txt'),
  },
  {
    name: 'a test of an example',
    tests: 'test/testing/examples.long.test.ts',
    fails: /the tests of news pass/,
    apply: replace('fixtures/services/news/config.test.yaml', 'statuscode: 200', 'statuscode: 599'),
  },
  {
    name: 'a response of a recipe',
    tests: 'test/documents/recipes.test.ts',
    fails: /has the response below it/,
    message: '599',
    apply: replace('docs/recipes/transactions.md', /^```json 409$/m, '```json 599'),
  },
  {
    name: 'a generated part of the reference',
    tests: 'test/documents/reference.test.ts',
    fails: /the generated parts of '?docs\/reference\/configuration\.md'? are as the code is/,
    apply: replace('docs/reference/configuration.md', '<!-- end -->', 'changed\n\n<!-- end -->'),
  },
  {
    name: 'an example of the reference',
    tests: 'test/documents/reference.test.ts',
    fails: /compiles without a diagnostic/,
    message: 'to deeply equal []',
    apply: replace(
      'docs/reference/responses.md',
      /^```yaml responses\n- name/m,
      '```yaml responses\n- changed: true\n  name',
    ),
  },
  {
    name: 'the handler in the README',
    tests: 'test/project/readme.test.ts',
    fails: /the handler next to it is the generated one/,
    apply: replace('README.md', '```ts\n', '```ts\n// changed\n'),
  },
  {
    name: 'a verdict of the benchmarks',
    tests: 'test/bench/verdicts.test.ts',
    fails: /the table of the page /,
    message: 'missed',
    apply: replace('test/bench/README.md', /\| met +\|/, '| missed |'),
  },
  {
    name: 'a wrong example of an explanation',
    tests: 'test/check/explanations.test.ts',
    fails: /always-true wrong/,
    apply: replace(
      'templates/explanations/expressions.md',
      'if: SIZE(VALUE(news, $)) >= INTEGER(0)',
      'if: SIZE(VALUE(news, $)) == INTEGER(0)',
    ),
  },
];
