/** Where in a statement the errors of MySQL and MariaDB are about: both servers' words. */
import { expect, test } from 'vitest';
import { mysqlRefusal } from '../../compiler/analyze/database/mysql-refusal.js';

const syntax = (near: string, line: number, server = 'MariaDB') =>
  `You have an error in your SQL syntax; check the manual that corresponds to your ${server} server version for the right syntax to use near '${near}' at line ${line}`;

const long =
  "SELECT id FROM t\nWHERE a = 'ä' ANND b = ? AND c > 10000000000000000000000 AND d LIKE 'some more text' OR 1";

/** `»` marks the position; there is none if it is not known. */
test.each([
  [1064, '42000', syntax('»', 1), 'SELECT id FROM t ORDER BY»'],
  [1064, '42000', syntax('FORM t', 1, 'MySQL'), 'SELECT id »FORM t'],
  [1064, '42000', syntax(`${long.slice(31, 110)}...`, 2), long.replace('ANND', '»ANND')],
  [1064, '42000', syntax('x\nFROM t', 2), 'SELECT 1,\n1 »x\nFROM t'],
  [1064, '42000', syntax('gone', 1), 'SELECT 1'],
  [1054, '42S22', "Unknown column 'nam' in 'field list'", 'SELECT t.nam, »nam, nam FROM t WHERE nam = 1'],
  [1054, '42S22', "Unknown column 'nam' in 'where clause'", 'SELECT 1 AS nam FROM t WHERE »nam = 1'],
  [
    1054,
    '42S22',
    "Unknown column 't.nam' in 'on clause'",
    'SELECT `t`.`nam` FROM t JOIN s ON s.id = »`t`.`nam`',
  ],
  [1054, '42S22', "Unknown column 'nam' in 'ORDER BY'", "SELECT 'nam' FROM t ORDER BY »nam"],
  [1054, '42S22', "Unknown column 'nam' in 'GROUP BY'", 'SELECT count(*) FROM t GROUP BY »nam'],
  [1146, '42S02', "Table 'my.db.nope' doesn't exist", 'SELECT nope.id FROM »nope'],
  [1146, '42S02', "Table 'other.nope' doesn't exist", 'DELETE FROM »other.nope'],
  [1305, '42000', 'FUNCTION d.foo does not exist', 'SELECT 1 AS foo, »foo(1)'],
  [1630, '42000', 'FUNCTION foo does not exist. Check …', 'SELECT »foo (1)'],
  [1052, '23000', "Column 'id' in field list is ambiguous", 'SELECT »id FROM t, s'],
  [1110, '42000', "Column 'a' specified twice", 'INSERT INTO t (a, »a) VALUES (1, 2)'],
  [1248, '42000', 'Every derived table must have its own alias', 'SELECT 1 FROM (SELECT 1)'],
])('%i: %s %s', (number, state, message, marked) => {
  const at = marked.indexOf('»');
  const result = mysqlRefusal({ number, state, message: message.replace('»', '') }, marked.replace('»', ''));
  expect(result).toHaveProperty('refusal.code', String(number));
  expect('refusal' in result ? result.refusal.at : undefined).toBe(at === -1 ? undefined : at);
});

test.each([
  [1142, '42000', "INSERT command denied to user 'a'@'b' for table `d`.`t`"],
  [1143, '42000', "SELECT command denied to user 'a'@'b' for column 'c' in table 't'"],
  [1205, 'HY000', 'Lock wait timeout exceeded; try restarting transaction'],
  [
    1290,
    'HY000',
    'The MariaDB server is running with the --read-only option so it cannot execute this statement',
  ],
  [1461, '42000', "Can't create more than max_prepared_stmt_count statements (current value: 16382)"],
  [1969, '70100', 'Query execution was interrupted (max_statement_time exceeded)'],
])('%i is not an error of the statement', (number, state, message) => {
  expect(mysqlRefusal({ number, state, message }, 'SELECT 1')).toEqual({ unchecked: message });
});
