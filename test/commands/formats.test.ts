/**
 * Machine-readable output of check and build: one JSON document, one SARIF log valid against the published schema, or one GitHub command
 * for each diagnostic.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sarifErrors } from '../helpers/sarif-errors.js';
import { configuration, warningConfiguration, Workspace, wrongConfiguration } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
  space.write('config.yaml', wrongConfiguration);
});

afterEach(() => {
  space.remove();
});

interface Sarif {
  readonly runs: readonly [
    {
      readonly tool: {
        readonly driver: { readonly rules: readonly { id: string; help: { text: string } }[] };
      };
      readonly invocations: readonly { readonly executionSuccessful: boolean; readonly exitCode?: number }[];
      readonly results: readonly { readonly ruleId: string; readonly level: string }[];
    },
  ];
}

function sarifOf(stdout: string): Sarif {
  const log = JSON.parse(stdout) as Sarif;
  expect(sarifErrors(stdout)).toEqual([]);
  return log;
}

/** Possible outcomes with their exit statuses. */
const endings: readonly [string, (space: Workspace) => string[], number][] = [
  ['errors', () => ['check'], 1],
  ['errors of build', () => ['build', '--out', 'out'], 1],
  ['nothing to report', (at) => (at.write('config.yaml', configuration('GET /a')), ['check']), 0],
  ['a build', (at) => (at.write('config.yaml', configuration('GET /a')), ['build', '--out', 'out']), 0],
  ['only warnings', (at) => (at.write('config.yaml', warningConfiguration), ['check']), 0],
  ['nothing, because warnings are not wanted', () => ['check', '--quiet'], 1],
  ['a file that is not there', () => ['check', 'none.yaml'], 4],
  ['an empty file', (at) => (at.write('config.yaml', ''), ['check']), 1],
  ['a wrong option', () => ['check', '--nonsense'], 2],
  ['a wrong code', () => ['check', '--off', 'nonsense'], 2],
  [
    'a folder that is a file',
    (at) => (at.write('config.yaml', configuration('GET /a')), ['build', '--out', 'config.yaml']),
    4,
  ],
];

describe.each(endings)('%s', (_name, prepare, status) => {
  test('is one JSON document', async () => {
    const run = await space.run(...prepare(space), '--format', 'json');
    expect({ status: run.status, stderr: run.stderr }).toEqual({ status, stderr: '' });
    const document = JSON.parse(run.stdout) as { diagnostics: unknown; error?: { status: number } };
    expect(Array.isArray(document.diagnostics)).toBe(true);
    expect(document.error?.status).toBe([2, 4].includes(status) ? status : undefined);
  });

  test('is one SARIF log', async () => {
    const run = await space.run(...prepare(space), '--format', 'sarif');
    expect({ status: run.status, stderr: run.stderr }).toEqual({ status, stderr: '' });
    const [invocation] = sarifOf(run.stdout).runs[0].invocations;
    expect(invocation?.executionSuccessful).toBe(![2, 4].includes(status));
  });

  test('is commands of GitHub, one in a line, and nothing else', async () => {
    const run = await space.run(...prepare(space), '--format', 'github');
    expect({ status: run.status, stderr: run.stderr }).toEqual({ status, stderr: '' });
    const lines = run.stdout.split('\n').filter((line) => line !== '');
    for (const line of lines)
      expect(line).toMatch(/^::(?:error|warning)(?: file=config\.yaml,line=\d+,.*)?::.+$/);
    if ([2, 4].includes(status)) expect(lines).toHaveLength(1);
  });
});

test('the SARIF log has each rule with its help, and positions, related positions and fixes', async () => {
  space.write('config.yaml', wrongConfiguration.replace('- name: never', '- name: ok'));
  const { runs } = sarifOf((await space.run('check', '--format', 'sarif')).stdout);
  const [{ tool, results }] = runs;
  expect(tool.driver.rules.map(({ id }) => id)).toEqual(
    [...new Set(results.map(({ ruleId }) => ruleId))].sort(),
  );
  for (const { help } of tool.driver.rules) expect(help.text).toContain('Right:');
  const found = (code: string): unknown => results.find(({ ruleId }) => ruleId === code);
  expect(found('duplicate-response')).toMatchObject({
    level: 'error',
    locations: [
      { physicalLocation: { artifactLocation: { uri: 'config.yaml' }, region: { startLine: 14 } } },
    ],
    relatedLocations: [
      { physicalLocation: { region: { startLine: 11 } }, message: { text: 'first defined here' } },
    ],
  });
  expect(found('unknown-fulfillment')).toMatchObject({
    fixes: [
      {
        description: { text: 'Suggestion' },
        artifactChanges: [
          {
            replacements: [
              {
                deletedRegion: { startLine: 9, startColumn: 35, endLine: 9, endColumn: 39 },
                insertedContent: { text: 'news' },
              },
            ],
          },
        ],
      },
    ],
  });
});

test('a path with spaces and a colon is a relative URI, and a property of GitHub is escaped', async () => {
  space.write('a folder/1:2,%.yaml', wrongConfiguration);
  const sarif = (await space.run('check', 'a folder/1:2,%.yaml', '--format', 'sarif')).stdout;
  sarifOf(sarif);
  expect(sarif).toContain('"a%20folder/1%3A2%2C%25.yaml"');
  const github = (await space.run('check', 'a folder/1:2,%.yaml', '--format', 'github')).stdout;
  expect(github).toContain('::error file=a folder/1%3A2%2C%25.yaml,line=9,');
});

test('nothing of the configuration begins a command of its own, and related lines are named', async () => {
  space.write(
    'config.yaml',
    wrongConfiguration
      .replace('- name: never', '- name: ok')
      .replace('VALUE(nwes, $.id)', 'VALUE(nwes, $.id)] AS a, :[VALUE(nwes, $.b)')
      .replace("'GET /news':", '"GET /ne\\r\\n::error::ws":'),
  );
  const { stdout } = await space.run('check', '--format', 'github');
  for (const line of stdout.trimEnd().split(/\r|\n/))
    expect(line).toMatch(/^::(?:error|warning) file=config\.yaml,/);
  expect(stdout).toContain('%0Aconfig.yaml:11: first defined here');
  expect(stdout).toContain('title=unknown-fulfillment');
});

test('neither names nor paths colour or steer a terminal or the log of a workflow', async () => {
  const path = 'red\u001B[31m\n::error::x.yaml';
  space.write(path, wrongConfiguration.replace("'GET /news':", '"GET /ne\\u001b[31mws":'));
  for (const format of ['text', 'github']) {
    const { stdout, stderr } = await space.run('check', path, '--format', format);
    expect(stdout + stderr).toContain('unknown-fulfillment');
    expect(stdout + stderr).not.toContain('\u001B');
    expect(stdout + stderr).not.toMatch(/^::error::/m);
    const missing = await space.run('check', 'no\u001B[31m.yaml', '--format', format);
    expect(missing.stdout + missing.stderr).toContain('no?[31m.yaml cannot be read');
  }
});

describe('of several formats the last one counts', () => {
  test.each([
    [['--format', 'json', '--format', 'text'], 'text'],
    [['--format=json', '--format=text'], 'text'],
    [['--format', 'text', '--format', 'json'], 'json'],
    [['--format=sarif', '--format', 'json'], 'json'],
  ])('%j', async (options, format) => {
    const { stdout, stderr } = await space.run('check', 'no.yaml', ...options);
    const [shown, other] = format === 'text' ? [stderr, stdout] : [stdout, stderr];
    expect(shown).toContain('no.yaml');
    expect(other).toBe('');
    expect(shown.trimStart().startsWith('{')).toBe(format === 'json');
  });
});
