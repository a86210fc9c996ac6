/** Column names in an ORDER BY written by the runtime. */
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
