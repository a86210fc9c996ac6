/** The names of columns in an ORDER BY that the runtime writes. */
import { expect, test } from 'vitest';
import { columnReference } from '../../../runtime/lists/ordered-sql.js';

test.each([
  ['postgresql', 'created_at', 'list.created_at'],
  ['postgresql', 'Created', 'list."Created"'],
  ['postgresql', 'a" desc; --', 'list."a"" desc; --"'],
  ['mysql', 'Created', 'list.`Created`'],
  ['mysql', 'a` desc; --', 'list.`a`` desc; --`'],
  ['mysql', 'a"', 'list.`a"`'],
] as const)('%s: %s', (dialect, column, reference) => {
  expect(columnReference(column, dialect)).toBe(reference);
});
