/**
 * PostgreSQL messages split into chunks at arbitrary positions: each message arrives once and in order, at the driver or at the reader of
 * its result.
 */
import { expect, test } from 'vitest';
import { Frames, type ResultReader } from '../../../runtime/postgres/frames.js';
import { Random } from '../../helpers/random.js';
import { runs } from '../../helpers/runs.js';

interface Message {
  readonly type: string;
  readonly body: string;
}

function bytesOf({ type, body }: Message): Buffer {
  const content = Buffer.from(body, 'latin1');
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

/** Results of two, zero and one rows; bodies that look like messages, and one empty body. */
const messages: readonly Message[] = [
  { type: '2', body: '' },
  { type: 'T', body: 'columns' },
  { type: 'D', body: 'first row D\0\0\0\u0004' },
  { type: 'D', body: '' },
  { type: 'N', body: 'a notice' },
  { type: 'D', body: 'refused' },
  { type: 'D', body: 'Z\0\0\0\u0005I' },
  { type: 'C', body: 'SELECT 2' },
  { type: 'Z', body: 'I' },
  { type: '2', body: '' },
  { type: 'C', body: 'SELECT 0' },
  { type: 'Z', body: 'I' },
  { type: 'D', body: 'x'.repeat(300) },
  { type: 'D', body: 'y' },
  { type: 'E', body: 'division by zero' },
  { type: 'Z', body: 'I' },
  { type: 'D', body: 'the last' },
  { type: 'Z', body: 'T' },
];
const stream = Buffer.concat(messages.map(bytesOf));

/** The messages received from the chunks if the results with these numbers are read as bytes. */
function arrived(
  chunks: readonly Buffer[],
  readers: ReadonlySet<number>,
): readonly (Message & { by: string })[] {
  const log: (Message & { by: string })[] = [];
  let pending: Buffer = Buffer.alloc(0);
  let result = 0;
  const pass = (bytes: Buffer): void => {
    // Like in the driver, incomplete messages stay in the buffer.
    pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
    while (pending.length >= 5 && pending.length > pending.readInt32BE(1)) {
      const end = 1 + pending.readInt32BE(1);
      const type = pending.toString('latin1', 0, 1);
      log.push({ type, body: pending.toString('latin1', 5, end), by: 'driver' });
      pending = pending.subarray(end);
      if (type === 'Z') result += 1;
    }
  };
  const takeRow = (bytes: Buffer, from: number, to: number): boolean => {
    const body = bytes.toString('latin1', from, to);
    if (body === 'refused') return false;
    // The driver has no incomplete message when a row is passed to the reader.
    expect(pending.length).toBe(0);
    log.push({ type: 'D', body, by: `reader ${result}` });
    return true;
  };
  const took = (type: string, body: string) => (): void => {
    expect(pending.length).toBe(0);
    log.push({ type, body, by: `reader ${result}` });
  };
  const reader = (): ResultReader => ({
    takeRow,
    handleBindComplete: took('2', ''),
    // Only the driver parses the command tag.
    handleCommandComplete: took('C', result === 0 ? 'SELECT 2' : 'SELECT 0'),
  });
  const frames = new Frames(pass, () => (readers.has(result) ? reader() : undefined));
  frames.readers = readers.size;
  for (const chunk of chunks) {
    const memory = Buffer.from(chunk);
    frames.read(memory);
    // The memory is reused for the next chunk.
    memory.fill(0xff);
  }
  expect(pending.length).toBe(0);
  return log;
}

function cutAt(positions: readonly number[]): Buffer[] {
  const ends = [...positions, stream.length];
  return ends.map((end, index) => stream.subarray(ends[index - 1] ?? 0, end));
}

const resultsOf = [[], [0], [1], [2], [3], [0, 2], [0, 1, 2, 3]].map((numbers) => new Set(numbers));

test('every message arrives once and in order, wherever the chunks end', () => {
  for (const readers of resultsOf) {
    for (let first = 0; first <= stream.length; first += 1) {
      const log = arrived(cutAt([first]), readers);
      expect(log.map(({ type, body }) => ({ type, body }))).toEqual(messages);
    }
    for (let size = 1; size < 40; size += 1) {
      const ends = Array.from({ length: Math.ceil(stream.length / size) - 1 }, (_, at) => (at + 1) * size);
      expect(arrived(cutAt(ends), readers).map(({ type, body }) => ({ type, body }))).toEqual(messages);
    }
  }
});

test('chunks of any sizes', () => {
  const random = new Random(3);
  for (let round = 0; round < runs(75, 20_000); round += 1) {
    const ends = random.some(random.below(12), () => random.below(stream.length + 1)).sort((a, b) => a - b);
    const log = arrived(cutAt(ends), random.pick(resultsOf));
    expect(log.map(({ type, body }) => ({ type, body }))).toEqual(messages);
  }
});

test('only whole messages of results that are read as bytes are kept from the driver', () => {
  const log = arrived([stream], new Set([0, 1, 3]));
  expect(log.filter(({ by }) => by !== 'driver').map(({ by, type, body }) => [by, type, body])).toEqual([
    ['reader 0', '2', ''],
    ['reader 0', 'D', 'first row D\0\0\0\u0004'],
    ['reader 0', 'D', ''],
    ['reader 0', 'D', 'Z\0\0\0\u0005I'],
    ['reader 0', 'C', 'SELECT 2'],
    ['reader 1', '2', ''],
    ['reader 1', 'C', 'SELECT 0'],
    ['reader 3', 'D', 'the last'],
  ]);
  const inside = stream.indexOf('first row') + 3;
  const cut = arrived(cutAt([inside]), new Set([0]));
  expect(cut.filter(({ by }) => by !== 'driver').map(({ body }) => body)).toEqual([
    '',
    '',
    'Z\0\0\0\u0005I',
    'SELECT 2',
  ]);
});

test('without readers everything is passed on', () => {
  const passed: Buffer[] = [];
  const frames = new Frames(
    (bytes) => passed.push(Buffer.from(bytes)),
    () => {
      throw new Error('nobody reads');
    },
  );
  const chunks = cutAt([50, 51, 200]);
  for (const chunk of chunks) {
    const memory = Buffer.from(chunk);
    frames.read(memory);
    // The memory is reused for the next chunk.
    memory.fill(0xff);
  }
  expect(Buffer.concat(passed).equals(stream)).toBe(true);
});

test('an impossible length leaves everything to the driver, from then on', () => {
  const bad = Buffer.from([0x44, 0, 0, 0, 3, 1, 2]);
  for (const cut of [0, 2, 6]) {
    const passed: Buffer[] = [];
    const frames = new Frames(
      (bytes) => passed.push(bytes),
      () => ({
        takeRow: () => {
          throw new Error('no row');
        },
        handleBindComplete: () => undefined,
        handleCommandComplete: () => undefined,
      }),
    );
    frames.readers = 1;
    for (const chunk of [bad.subarray(0, cut), bad.subarray(cut), bytesOf({ type: 'D', body: 'row' })])
      frames.read(chunk);
    expect(Buffer.concat(passed)).toEqual(Buffer.concat([bad, bytesOf({ type: 'D', body: 'row' })]));
  }
});
