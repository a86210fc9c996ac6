/** Rows buffered as lines of JSON: after an unreadable row, only complete lines are returned. */
import { expect, test } from 'vitest';
import { JsonLines, RowList } from '../../../runtime/responses/arrived-rows.js';
import { notWritten, type RowFormat } from '../../../runtime/sql/row-format.js';

/** Each row is a single-byte number; 9 is unreadable. */
const format: RowFormat = {
  names: ['a', 'b'],
  growth: 4,
  writers: [() => notWritten, () => notWritten],
  find: (_bytes, from, _to, { starts, lengths }) => {
    starts.fill(from);
    lengths.fill(1);
    return true;
  },
  valueOf: (index, bytes, start) => {
    if (index === 1 && bytes[start] === 9) throw new Error('unreadable');
    return bytes[start] ?? null;
  },
  orderedValueOf: () => null,
};

test('after a row that cannot be read, only whole lines are given', () => {
  let arrived = 0;
  const lines = new JsonLines();
  const sink = lines.sinkOf(() => (arrived += 1));
  sink.begin(format);
  const take = (value: number): boolean => sink.take(Buffer.from([value]), 0, 1);
  expect([take(1), take(2)]).toEqual([true, true]);
  expect(() => take(9)).toThrow('unreadable');
  // Later rows arrive nevertheless.
  expect(take(3)).toBe(true);
  sink.takeValues([4, 4], () => null);
  lines.push({ a: 5 });
  expect([arrived, lines.waiting]).toEqual([2, 2]);
  expect(Buffer.concat([...lines.takeAll()]).toString()).toBe('{"a":1,"b":1}\n{"a":2,"b":2}\n');
  expect(lines.waiting).toBe(0);
  expect(Buffer.concat([...lines.takeAll()]).toString()).toBe('');
});

test('what arrives when nobody takes it any more is not kept', () => {
  const lines = new JsonLines();
  const sink = lines.sinkOf(() => undefined);
  sink.begin(format);
  const take = (): boolean => sink.take(Buffer.from([1]), 0, 1);
  take();
  lines.stop();
  // The driver need not parse the row either.
  expect(take()).toBe(true);
  lines.push({ a: 5 });
  expect([lines.waiting, lines.takeAll()]).toEqual([0, []]);
  const list = new RowList();
  list.push({ a: 5 });
  list.stop();
  list.push({ a: 5 });
  expect([list.waiting, list.takeAll()]).toEqual([0, []]);
});

test('lines that are taken are given once, in pieces', () => {
  const lines = new JsonLines();
  let text = '';
  for (let row = 0; row < 3; row += 1) {
    lines.push({ text: 'x'.repeat(70_000), row });
    if (row !== 1) text += Buffer.concat([...lines.takeAll()]).toString();
  }
  expect(text.split('\n').map((line) => line.length)).toEqual([70_019, 70_019, 70_019, 0]);
});
