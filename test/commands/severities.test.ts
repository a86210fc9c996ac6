/** Severities set on the command line and by comments in the configuration. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { warningConfiguration, Workspace, wrongConfiguration } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
  space.write('config.yaml', warningConfiguration);
});

afterEach(() => {
  space.remove();
});

async function codes(...options: string[]): Promise<string[]> {
  const { stdout } = await space.run('check', '--format', 'json', ...options);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; severity: string }[] };
  return diagnostics.map(({ code, severity }) => `${severity} ${code}`);
}

const before = ['warning unquoted-specification', 'warning response-never-used'];

describe('on the command line', () => {
  test('a warning becomes an error, which stops the build', async () => {
    expect(await codes()).toEqual(before);
    expect(await codes('--error', 'response-never-used')).toEqual([
      'warning unquoted-specification',
      'error response-never-used',
    ]);
    const { status } = await space.run('build', '--out', 'out', '--error', 'response-never-used');
    expect({ status, isThere: space.exists('out') }).toEqual({ status: 1, isThere: false });
  });

  test('warnings are left out, one option for each', async () => {
    expect(await codes('--off', 'unquoted-specification', '--off', 'response-never-used')).toEqual([]);
  });

  test('an error that does not keep a service from being generated can be lowered', async () => {
    const text = warningConfiguration
      .replace('query: SELECT 1', 'query: SELECT 1 AS id')
      .replace(
        '        statuscode: 200\n',
        '        statuscode: 200\n        schema:\n          a: VALUE(news, $.number)\n',
      );
    space.write('config.yaml', text);
    expect(await codes()).toContain('error unknown-column');
    expect(await codes('--warn', 'unknown-column')).toContain('warning unknown-column');
    expect((await codes('--off', 'unknown-column')).join(' ')).not.toContain('unknown-column');
    expect((await space.run('build', '--out', 'out', '--warn', 'unknown-column')).status).toBe(0);
  });

  test.each([
    [
      ['--warn', 'unknown-fulfillment'],
      '--warn unknown-fulfillment: this error cannot be lowered, because no service can be generated while it is reported. Fix it in the configuration.\n',
    ],
    [
      ['--off', 'unread-resutl'],
      "--off unread-resutl: unknown diagnostic code. Did you mean 'unread-result'?\n",
    ],
    [
      ['--error', 'nonsense'],
      "--error nonsense: unknown diagnostic code. 'apikiln explain --codes' lists all codes.\n",
    ],
    [
      ['--off', 'unread-result', '--error', 'unread-result'],
      '--off unread-result: it already has another severity. Name each code once.\n',
    ],
  ])('%s is wrong use', async (options, stderr) => {
    expect(await space.run('check', ...options)).toEqual({ status: 2, stdout: '', stderr });
  });
});

describe('in a comment', () => {
  const withComment = (above: string, comment: string): void => {
    const indent = /^ */.exec(above)?.[0] ?? '';
    space.write('config.yaml', warningConfiguration.replace(above, `${indent}${comment}\n${above}`));
  };

  test('a code is not reported in the line below', async () => {
    withComment('      - name: never', '# apikiln-disable-next-line response-never-used');
    expect(await codes()).toEqual(before.filter((code) => !code.endsWith('never-used')));
  });

  test('after comments and empty lines, with a reason', async () => {
    withComment(
      '      - name: never',
      '# apikiln-disable-next-line response-never-used -- comes later\n\n# see below',
    );
    expect(await codes()).toEqual(before.filter((code) => !code.endsWith('never-used')));
  });

  test('above the line in which a block or a text over several lines begins', async () => {
    const query = (yaml: string): string =>
      warningConfiguration
        .replace('type: READ', 'type: UPDATE')
        .replace(
          '          - query: SELECT 1\n',
          `          # apikiln-disable-next-line sql-every-row\n${yaml}`,
        );
    for (const yaml of [
      '          - query: |\n              -- all\n\n              DELETE FROM news\n',
      '          - query: >- # folded\n\n              /* all\n              */ DELETE\n              FROM news\n',
      "          - query: '/* all\n              */ DELETE FROM news'\n",
      '          - query: /* all\n              */ DELETE FROM news\n',
      '          - &q\n            query: |2\n                /* all */\n              DELETE FROM news\n',
    ]) {
      space.write('config.yaml', query(yaml));
      const found = await codes();
      // A comment above a line that has only an anchor applies to that line.
      expect(found.includes('warning sql-every-row'), yaml).toBe(yaml.includes('&q'));
      expect(found.includes('warning unneeded-comment'), yaml).toBe(yaml.includes('&q'));
    }
  });

  test('of an error is as on the command line', async () => {
    space.write('config.yaml', wrongConfiguration);
    const text = wrongConfiguration.replace(
      '          - query',
      '          # apikiln-disable-next-line unknown-fulfillment\n          - query',
    );
    space.write('config.yaml', text);
    expect(await codes()).toEqual(
      expect.arrayContaining(['error unknown-fulfillment', 'warning cannot-be-disabled']),
    );
  });

  test('that is not needed is not a warning while there are errors, which skip checks', async () => {
    withComment('      - name: never', '# apikiln-disable-next-line query-per-row');
    expect(await codes()).toContain('warning unneeded-comment');
    space.write(
      'config.yaml',
      space.read('config.yaml').replace('query: SELECT 1', 'query: SELECT :[VALUE(nwes, $.id)]'),
    );
    expect(await codes()).not.toContain('warning unneeded-comment');
  });
});
