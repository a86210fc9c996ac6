/** Errors of MySQL and MariaDB for refused statements, in apikiln's wording and with positions. */
import { expect, test } from 'vitest';
import { mysqlRefusal } from '../../compiler/analyze/database/mysql-refusal.js';

const near = (rest: string, line: number): string =>
  `You have an error in your SQL syntax; check the manual for the right syntax to use near '${rest}' at line ${line}`;

test.each([
  ['SELECT a FRM b', near('b', 1), "syntax error near 'b'", 13],
  ['SELECT a\nFRM b', near('FRM b', 2), "syntax error near 'FRM b'", 9],
  ['SELECT x FRM x, y', near('FRM x...', 1), "syntax error near 'FRM x...'", 9],
  // The server counts lines differently.
  ['SELECT x FRM x, y', near('FRM x...', 7), "syntax error near 'FRM x...'", 9],
  ['SELECT x FRM x, x', near('x...', 7), "syntax error near 'x...'", undefined],
  ['SELECT a FROM', near('', 1), 'syntax error at its end', 13],
  ['SELECT a', 'Another reason.', 'Another reason', undefined],
])('%j: %s', (text, message, words, at) => {
  expect(mysqlRefusal({ number: 1064, state: '42000', message }, text)).toEqual({
    refusal: { message: words, code: '1064', ...(at === undefined ? {} : { at }) },
  });
});
