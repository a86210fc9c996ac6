/** Fields that are left out of bodies: a large body, written with pauses, has the fields of a small one. */
import { expect, test } from 'vitest';
import type { Json } from '../../../runtime/handler/json.js';
import { isLarge } from '../../../runtime/handler/json-text.js';
import { withoutFields, withoutFieldsInTurns } from '../../../runtime/responses/omitted-fields.js';
import { testCall } from '../../helpers/test-call.js';

const row = (id: number): Json => ({
  id,
  note: id % 3 === 0 ? null : 'x'.repeat(50),
  tags: [],
  list: [null, 0],
});
const rows = Array.from({ length: 5000 }, (_, id) => row(id));
const bodies: readonly Json[] = [
  rows,
  { rows, none: null, [`long ${'x'.repeat(40_000)}`]: { a: null, b: '' }, zero: 0 },
  [rows, null, { rows: [rows] }],
  'x'.repeat(100_000),
];

test.each(['null', 'empty'] as const)('%s: with pauses as without', async (omitted) => {
  for (const body of bodies) {
    expect(isLarge(body)).toBe(true);
    expect(await withoutFieldsInTurns(body, omitted, testCall())).toEqual(withoutFields(body, omitted));
  }
  const [first, , , fourth] = withoutFields(rows, omitted) as Json[];
  expect([first, fourth]).toEqual(
    omitted === 'null'
      ? [
          { id: 0, tags: [], list: [null, 0] },
          { id: 3, tags: [], list: [null, 0] },
        ]
      : [{ list: [null, 0] }, { id: 3, list: [null, 0] }],
  );
});

test('a call of a disconnected client ends', async () => {
  const call = Object.assign(testCall(), {
    proceed: () => {
      throw new Error('gone');
    },
  });
  const huge = Array.from({ length: 200 }, () => rows);
  await expect(withoutFieldsInTurns(huge, 'null', call)).rejects.toThrow('gone');
});
