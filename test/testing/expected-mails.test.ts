/** Mails compared with those that a test expects: the report of each different, missing or unexpected mail, and kept parts. */
import { expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { readTests } from '../../compiler/tools/testing/read/read-tests.js';
import { StubbedApis } from '../../compiler/tools/testing/stubbed-apis.js';

const server = "type: smtp, url: 'smtp://mail.example.com', from: shop@example.com";
const config = (datasources: string): string => `specification: "1.0"
operations:
  cleanup:
    fulfillments:
      - { name: sent, type: UPDATE, datasource: mail, instructions: [{ message: { to: PARAM(a), subject: PARAM(b), text: x } }] }
    responses: [{ name: ok, default: true, statuscode: 200 }]
datasources:
  mail: { ${server} }
${datasources}`;

function read(mail: string, datasources = ''): ReturnType<typeof readTests> {
  const { analysis } = checkSource({ config: { path: 'config.yaml', text: config(datasources) } });
  if (analysis === undefined) throw new Error('The configuration cannot be read.');
  const text = `tests:\n  - { name: one, operationName: cleanup, mail: ${mail} }\n`;
  return readTests({ path: 'config.test.yaml', text }, analysis.config);
}

const sent = {
  to: ['anna@example.com'],
  cc: [],
  replyTo: [],
  subject: 'Hello',
  text: 'go to /reset#abc now',
};

function played(mail: string, ...mails: readonly Partial<typeof sent>[]): unknown {
  const { file, diagnostics } = read(mail);
  expect(diagnostics.map(({ message }) => message)).toEqual([]);
  const step = file?.tests[0]?.steps[0];
  if (step === undefined) throw new Error('There is no step.');
  const third = new StubbedApis(step, new Map());
  const statuses = mails.map(
    (one) => third.playMail('mail', { body: Buffer.from(JSON.stringify({ ...sent, ...one })) }).status,
  );
  return [statuses, third.failures().map(({ message }) => message), Object.fromEntries(third.keptOfMails)];
}

test.each<[string, string, readonly Partial<typeof sent>[], unknown]>([
  [
    'as expected',
    "{ to: anna@example.com, subject: Hello, keep: { token: 'reset#(\\S+)' } }",
    [{}],
    [[250], [], { token: 'abc' }],
  ],
  ['a pattern', '{ text: /abc/ }', [{}], [[250], [], {}]],
  ['the status of the server', '{ statuscode: 550 }', [{}], [[550], [], {}]],
  [
    'in any order',
    '[{ to: b@example.com, statuscode: 451 }, {}]',
    [{}, { to: ['b@example.com'] }],
    [[250, 451], [], {}],
  ],
  [
    'another address',
    '{ to: bob@example.com }',
    [{}],
    [[250], ['mail of mail: to: expected "bob@example.com", but it is "anna@example.com"'], {}],
  ],
  [
    'one that is not expected',
    '[]',
    [{}],
    [[550], ['mail got a mail that was not expected: Hello, to anna@example.com'], {}],
  ],
  ['one that is not sent', '{}', [], [[], ['the mail of mail was not sent'], {}]],
  [
    'nothing to keep',
    "{ keep: { token: 'x#(y)' } }",
    [{}],
    [[250], ["the text of the mail has nothing for x#(y), so 'token' cannot be kept"], {}],
  ],
])('a mail: %s', (_, mail, mails, expected) => {
  expect(played(mail, ...mails)).toEqual(expected);
});

test.each([
  ['{ keep: { token: abc } }', '', 'This expression has no group.'],
  ["{ keep: { token: '(a)(b)' } }", '', 'This expression has 2 groups.'],
  ["{ keep: { token: '(' } }", '', 'This is not a regular expression.'],
  ['{ datasource: post }', '', "'post' is not a mail server."],
  ['{ }', `  post: { ${server} }\n`, 'Several datasources are mail servers.'],
])('%s is reported', (mail, datasources, message) => {
  expect(read(mail, datasources).diagnostics.map((one) => one.message)).toEqual([message]);
});
