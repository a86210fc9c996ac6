/** `apikiln explain <code>` and `--codes`: text for people, JSON for programs. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { everyMessage } from '../../compiler/analyze/check/rule-list.js';
import { Workspace } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
});

afterEach(() => {
  space.remove();
});

test('a code is explained with its span in a wrong example, and a right one', async () => {
  expect(await space.run('explain', 'wrong-operator')).toEqual({
    status: 0,
    stderr: '',
    stdout: `wrong-operator (error)

The operators are \`==\`, \`!=\`, \`<\`, \`<=\`, \`>\`, \`>=\`, \`&&\`, \`||\` and \`!\`. This operator belongs to
another language.

Wrong:
    if: SIZE(VALUE(news, $)) = INTEGER(0)
                             ^

Right:
    if: SIZE(VALUE(news, $)) == INTEGER(0)
`,
  });
});

test('the same for programs', async () => {
  const { stdout } = await space.run('explain', 'unknown-column', '--format', 'json');
  expect(JSON.parse(stdout)).toEqual({
    code: 'unknown-column',
    severity: 'error',
    canBeLowered: true,
    text: 'The statement does not select a column of this name, so the value would always be null.',
    part: 'schema',
    wrong: 'title: VALUE(news, $.titel)\n',
    right: 'title: VALUE(news, $.title)\n',
  });
});

test('an error that may be lowered says so; one that needs a schema has no mark', async () => {
  const { stdout } = await space.run('explain', 'sql-refused');
  expect(stdout).toMatch(/^sql-refused \(error, which --warn and --off accept\)\n/);
  expect(stdout).toContain('Wrong:\n    SELECT id, titel FROM news\n\nRight:\n');
});

test('all codes are listed with a sentence each', async () => {
  const codes = Object.keys(everyMessage).sort();
  const { stdout } = await space.run('explain', '--codes');
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => line.split(' ')[0])).toEqual(codes);
  for (const line of lines) expect(line).toMatch(/^\S+ +(?:error|warning) +[^ ].*[.!?]$/);
  const { codes: list } = JSON.parse((await space.run('explain', '--codes', '--format', 'json')).stdout) as {
    codes: { code: string }[];
  };
  expect(list.map(({ code }) => code)).toEqual(codes);
});

test.each([
  [['explain', 'unknown-colum'], "Unknown diagnostic code 'unknown-colum'. Did you mean 'unknown-column'?\n"],
  [['explain', 'xyz'], "Unknown diagnostic code 'xyz'. 'apikiln explain --codes' lists all codes.\n"],
  [
    ['explain', 'constructor'],
    "Unknown diagnostic code 'constructor'. 'apikiln explain --codes' lists all codes.\n",
  ],
])('%s is wrong use', async (args, stderr) => {
  expect(await space.run(...args)).toEqual({ status: 2, stdout: '', stderr });
});

test.each(['parameter-unnamed', 'not-operations', 'unread-parameter'])(
  'the wrong example of %s is marked, whichever file it is',
  async (code) => {
    const { stdout } = await space.run('explain', code);
    expect(stdout.slice(stdout.indexOf('Wrong:'), stdout.indexOf('Right:'))).toMatch(/^ +\^+$/m);
  },
);
