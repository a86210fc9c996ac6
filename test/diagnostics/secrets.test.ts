/** Diagnostics and their frames never show a secret, however broken the configuration is. */
import { noColours } from '../../compiler/notation/screen-writer.js';
import { describe, expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { fieldTable } from '../../compiler/read/config/field-table.js';
import { fields } from '../../compiler/read/diagnostics/secrets/uncertain-text.js';
import { printText } from '../../compiler/read/diagnostics/print/print-diagnostic.js';
import { blockStyle, canary, jsonStyle, mutate, otherStyle, randomOf } from './secret-configurations.js';
import { printJson } from '../helpers/print-json.js';
import { manyRuns, runs } from '../helpers/runs.js';

/** Everything printed about a configuration, in every format. */
function printed(text: string): { text: string; count: number } {
  const { diagnostics } = checkSource({ config: { path: 'config.yaml', text } });
  const texts = diagnostics.map((diagnostic) => printText(diagnostic, noColours));
  return { text: [...texts, printJson(diagnostics)].join('\n'), count: diagnostics.length };
}

test.each([
  ['# list\n- a: 1\n', 'This file is not a configuration: it is a list.'],
  ['a string\n', 'This file is not a configuration: it has no fields.'],
])('a word of the compiler is shown where the file has it too: %s', (text, message) => {
  expect(printed(text).text).toContain(message);
});

test.each([
  'partners: { type: apikey, header: X-Api-Key, keys: { acme: [hunter2] }, colour: hunter2 }',
  'browsers: { type: apikey, cookie: session, keys: { acme: hunter2 }, colour: hunter2 }',
  'users: { type: jwt, issuer: https://id.example.com/, audience: news, key: hunter2, colour: hunter2 }',
])('of an authentication keys and unknown fields are hidden, and nothing else: %s', (entry) => {
  const { text } = printed(`specification: "1.0"\noperations: {}\nauthentications:\n  ${entry}\n`);
  expect(text).toContain(`| ${`  ${entry}`.replaceAll('hunter2', '*******')}\n`);
});

test('the schema of an error is shown, also on one line', () => {
  const line = '      schema: { code: ERROR(code), text: TEXT(failed), wrong: FOO(x) }';
  const { text } = printed(
    `specification: "1.0"\noperations: {}\nsettings:\n  licence: hunter2\n  errors:\n    - statuscode: 409\n${line}\n`,
  );
  expect(text).toContain(`| ${line}\n`);
});

test.each([
  'settings: { errors: [{ schema: { text: ERROR($.mesage) } }], licence: hunter2.b }',
  'settings: { licence: hunter2.b, errors: [{ statuscode: 404, schema: { a: { text: ERROR($.mesage) } } }] }',
  'settings: { errors: { schema: { text: ERROR($.mesage) } }, licence: { key: hunter2.b } }',
  'settings:\n  errors: [{ schema: { text: ERROR($.mesage) } }]\n  licence: hunter2.b',
  'settings: { errors: problem, licence: hunter2.b, text: ERROR($.mesage) }',
])('in braces expressions below errors are shown, and nothing else: %s', (settings) => {
  const { text } = printed(
    `specification: "1.0"\noperations: {}\ncolour: 1\n${settings.replace('{', '{ tpye: 1, ').replace('\n', '\n  tpye: 1\n')}\n`,
  );
  expect(text).not.toContain('hunter2');
  const isBelow = /errors: [[{]/.test(settings);
  expect(text.includes('ERROR($.mesage)')).toBe(isBelow);
});

/** Reduced mutants of the configurations below. */
test.each([
  [
    'a list that has lost its key, and a letter is missing',
    `      - { name: n, body: [1
       ]        header:
                 - 'Autorization: Bearer ${canary}'
`,
  ],
  [
    'a bracket too many before the name',
    `      - name: n
        request:
          he:[der:
            - ]Authorization: Bearer ${canary}'
`,
  ],
  [
    'a quote in the name of the header',
    `      - { name: n, xheader: [
                   "Co"kie: ${canary}"
         ] }
`,
  ],
])('a header is hidden: %s', (_, fulfillments) => {
  const { text, count } = printed(
    `specification: "1.0"\noperations:\n  GET /a:\n    fulfillments:\n${fulfillments}`,
  );
  expect(count).toBeGreaterThan(0);
  expect(text).not.toContain(canary);
});

test.each(['users', 'user', 'urls', 'token', 'apikey', 'password'])(
  'the fields of an authentication with the name %s are shown, and its secrets are not',
  (name) => {
    const { text } = printed(
      `specification: "1.0"\noperations: {}\nauthentications:\n  ${name}:\n    algorithms: [RS255]\n    type: jwt\n    key: ${canary}\n    issuer: {\n`,
    );
    const { text: typed } = printed(
      `specification: "1.0"\noperations: {}\nauthentications:\n  ${name}:\n    type: jwt\n    algorithms: [RS255]\n    key: ${canary}\n`,
    );
    expect(typed).toContain('|     algorithms: [RS255]');
    expect(text + typed).not.toContain(canary);
  },
);

test.each(['user', 'password', 'token'])('the lines of a value below %s are not shown', (name) => {
  const { text, count } = printed(
    `specification: "1.0"\noperations: {}\ndatasources:\n  db:\n    type: db\n    ${name}:\n      ${canary}: x\n      - ${canary}\n`,
  );
  expect(count).toBeGreaterThan(0);
  expect(text).not.toContain(canary);
});

/** Truncated beginnings and middle parts of files that YAML cannot read. */
test.each([
  ['a header is the first line', `X-Session: ${canary}","Cookie: ${canary}"]}}]}],"responses":[]}}}\n`],
  ['a value is the first line', `${canary}"]}}]}],"responses":[{"name":"ok","default":true}]}}}\n`],
  [
    'the end of a string is in a separate line, after a sign',
    `specification: "1.0"\nsettings:\n  features:\n\t  - cors\noperations:\n$         ${canary}'\n`,
  ],
  [
    'a bracket is in the name of a header',
    `{"specification": "1.0",\n"operations": {"GET /a": {"request": {"header": [\n"Cooki[: ${canary}   ]\n}}}}\n`,
  ],
  [
    'a quote is lost in a list of several lines',
    `{"specification": "1.0",\n"operations": {"GET /a": {"fulfillments": [{ "name": "n", "type": "READ", "datasource": "d", "instructions": [{"request": {"url": "/a", "httpType": "GET", "header": [\n  ?X-Session: ${canary}",\n  ":ookie: ${canary}"\n]}}]}]}}}\n`,
  ],
])('nothing is shown where the structure is not known: %s', (_, text) => {
  const outcome = printed(text);
  expect(outcome.count).toBeGreaterThan(0);
  expect(outcome.text).not.toContain(canary);
});

test('the fields that are shown are those of the field table', () => {
  const names = Object.values(fieldTable).flatMap((table) => Object.keys(table));
  // People write secrets after `value`.
  expect([...fields, 'value'].sort()).toEqual([...new Set(names)].sort());
});

test('a file that YAML cannot read keeps its fields, expressions, statements and operations in messages', () => {
  const lines = [
    '  GET /news/{id}:',
    '      - name: news',
    '          - query: SELECT id FROM news',
    '          title: VALUE(news, $.title)',
  ];
  for (const line of lines) {
    const { text } = printed(`specification: "1.0"\noperations:\n\t${line}\n`);
    expect(text).toContain(`| ${' '.repeat(1)}${line}`);
  }
});

test.each([
  [`password: ${canary}`, 'Write a dash before it: - password: *******'],
  [
    `passwort '${canary}':\n      more: 1`,
    "Write '- ' before '******** '*******'', and indent the other lines",
  ],
])('the hint of a list without its dashes shows no value of a setting: %s', (value, hint) => {
  const { text } = printed(
    `specification: "1.0"\noperations: {}\nauthentications:\n  a:\n   type: jwt\n   algorithms:\n    ${value}\n`,
  );
  expect(text).toContain(hint);
  expect(text).not.toContain(canary);
});

const styles: Readonly<Record<string, string>> = {
  'block style': blockStyle(),
  'other style': otherStyle(),
  'JSON on one line': jsonStyle(undefined),
  'JSON on several lines': jsonStyle(2),
};

/** Mutants of each configuration; set the variable for a longer run. */
const mutants = Number(process.env['SECRET_MUTANTS'] ?? runs(32, 2500));

/** Random in each long run; set the variable to repeat a run. */
const firstSeed = Number(process.env['SECRET_SEED'] ?? (manyRuns ? Date.now() % 1_000_000 : 1));

describe('no secret is printed', () => {
  test.each(Object.keys(styles))(
    '%s',
    (style) => {
      const original = styles[style] ?? '';
      let reported = 0;
      for (let seed = firstSeed; seed < firstSeed + mutants; seed += 1) {
        const random = randomOf(seed);
        let text = original;
        for (let count = 1 + random(3); count > 0; count -= 1) text = mutate(text, random);
        const outcome = printed(text);
        reported += outcome.count > 0 ? 1 : 0;
        const at = outcome.text.indexOf(canary);
        if (at !== -1)
          expect.fail(`SECRET_SEED=${seed} shows …${outcome.text.slice(Math.max(0, at - 300), at + 100)}…`);
      }
      // Most wrong edits are errors, so most mutants have diagnostics to print.
      expect(reported).toBeGreaterThan(mutants / 2);
    },
    600_000,
  );
});
