/** JSON-RPC on standard input and output: one message on each line. */
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Written } from '../../../notation/written.js';

/** Responds to a line; undefined for messages without a response. It does not reject. */
export type AnswerLine = (line: string) => Promise<Written<'json'> | undefined>;

/** Answers all lines, several at the same time. Resolves after the end of the input, with the last response. */
export async function serveLines(input: Readable, output: Writable, answer: AnswerLine): Promise<void> {
  const pending = new Set<Promise<void>>();
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    if (line.trim() === '') continue;
    const one = respond(line).finally(() => pending.delete(one));
    pending.add(one);
  }
  await Promise.all(pending);

  async function respond(line: string): Promise<void> {
    const response = await answer(line);
    if (response !== undefined) output.write(`${response}\n`);
  }
}
