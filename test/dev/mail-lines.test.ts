/** Mails as lines printed by `apikiln dev`. */
import { expect, test } from 'vitest';
import { noColours } from '../../compiler/notation/screen-writer.js';
import { mailLines } from '../../compiler/tools/dev/mail-lines.js';
import type { ShownMail } from '../../runtime/trace/traced-smtp.js';

const mail: ShownMail = {
  ...{
    datasource: 'mail',
    to: ['anna@example.com', 'bob@example.com'],
    cc: [],
    replyTo: ['help@example.com'],
  },
  ...{ subject: 'Hello', text: 'One\n\u001B[31mTwo\n', messageId: 'x', recipients: [] },
};

test('a mail that was sent, without what terminals execute', () => {
  expect(mailLines(mail, noColours)).toEqual([
    'mail mail',
    '  to: anna@example.com, bob@example.com',
    '  reply to: help@example.com',
    '  subject: Hello',
    '  One',
    expect.not.stringContaining('\u001B') as string,
  ]);
});

test('a mail that was not sent, and a long one', () => {
  const text = Array.from({ length: 50 }, (_, index) => `line ${index}`).join('\n');
  const lines = mailLines({ ...mail, text, notSent: 'the url is empty' }, noColours);
  expect(lines[0]).toBe('mail mail not sent: the url is empty');
  expect(lines.slice(-2)).toEqual(['  line 39', '  10 more lines']);
});
