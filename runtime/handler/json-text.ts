/** Writes large values as JSON in steps, so that other requests are served meanwhile and the call's deadline is checked. */
import type { Call } from './call.js';
import type { Json } from './json.js';
import { ServiceError } from './reply.js';
import { JsonRows } from './rows-as-json.js';
import { isTurnOver, nextTurn } from './turn.js';

/** About how many characters are written in less than a millisecond. */
const small = 32 * 1024;
/** About how many characters are written in one turn of the event loop. Below this, one string takes less time and memory than many pieces. */
const oneTurn = 2 * 1024 * 1024;
/** Characters of a string that are written at a time. */
const slice = 256 * 1024;
/** Maximum bytes of a JSON document; far below the maximum length of a string. */
export const maxJson = 256 * 1024 * 1024;

/**
 * Whether the value is so large that iterating over it should pause. It stops as soon as this is certain, but lists all field names of an
 * object, so call it once for each value.
 */
export function isLarge(value: Json | undefined): value is Json {
  return value !== undefined && left(value, small) < 0;
}

/** Whether its JSON takes more than one turn to write, or contains rows that are JSON already. */
export function takesTurns(value: Json | undefined): value is Json {
  return value !== undefined && left(value, oneTurn) < 0;
}

/** The budget that remains after the value is written; negative if it is not enough. */
function left(value: Json, budget: number): number {
  if (typeof value === 'string') return budget - value.length;
  if (typeof value !== 'object' || value === null) return budget - 8;
  let rest = budget - 2;
  if (Array.isArray(value)) {
    for (const element of value) {
      rest = left(element, rest);
      if (rest < 0) return rest;
    }
    return rest;
  }
  if (value instanceof JsonRows) return -1;
  for (const name in value) {
    rest = left(value[name] ?? null, rest - name.length - 4);
    if (rest < 0) return rest;
  }
  return rest;
}

/**
 * The bytes of `JSON.stringify`, in pieces. Throws what `call.proceed` throws, and a ServiceError (500) for more than 256 MiB.
 */
export async function jsonInTurns(call: Call, value: Json): Promise<Buffer[]> {
  const writer = new JsonWriter(call);
  await writer.write(value);
  return writer.end();
}

class JsonWriter {
  private readonly pieces: Buffer[] = [];
  private pending = '';
  private bytes = 0;

  constructor(private readonly call: Call) {}

  async write(value: Json): Promise<void> {
    if (isLarge(value)) await this.writeLarge(value);
    else this.pending += JSON.stringify(value);
  }

  async writeLarge(value: Json): Promise<void> {
    if (typeof value === 'string') await this.writeString(value);
    else if (Array.isArray(value)) await this.writeArray(value);
    else if (typeof value === 'object' && value !== null) await this.writeObject(value);
  }

  end(): Buffer[] {
    this.flush();
    return this.pieces;
  }

  /** Small elements are written together: one by one is several times slower. */
  private async writeArray(elements: readonly Json[]): Promise<void> {
    this.pending += '[';
    let start = 0;
    let rest = small;
    for (const [index, element] of elements.entries()) {
      rest = left(element, rest);
      if (rest >= 0) continue;
      this.writeElements(elements, start, index);
      if (index > 0) this.pending += ',';
      await this.write(element);
      await this.pause();
      start = index + 1;
      rest = small;
    }
    this.writeElements(elements, start, elements.length);
    this.pending += ']';
  }

  /** The elements from `start` to `end`, with a comma before them unless they are the first. */
  private writeElements(elements: readonly Json[], start: number, end: number): void {
    if (start === end) return;
    if (start > 0) this.pending += ',';
    this.pending += JSON.stringify(elements.slice(start, end)).slice(1, -1);
  }

  private async writeObject(fields: Readonly<Record<string, Json>>): Promise<void> {
    let separator = '';
    this.pending += '{';
    // Not `Object.entries`: for hundreds of thousands of fields it is four times slower, without a pause.
    for (const name of Object.keys(fields)) {
      this.pending += `${separator}${JSON.stringify(name)}:`;
      separator = ',';
      const waits = this.writePart(fields[name] ?? null);
      if (waits !== undefined) await waits;
    }
    this.pending += '}';
  }

  /** Returns a promise only if there is something to wait for: most elements are small. */
  private writePart(value: Json): Promise<void> | undefined {
    if (isLarge(value)) return this.writeLarge(value);
    this.pending += JSON.stringify(value);
    return this.pending.length < small ? undefined : this.pause();
  }

  private async writeString(text: string): Promise<void> {
    this.pending += '"';
    let start = 0;
    while (start < text.length) {
      // Do not cut a surrogate pair: its halves alone would be escaped.
      const end = start + slice + (isHighSurrogate(text.charCodeAt(start + slice - 1)) ? 1 : 0);
      this.pending += JSON.stringify(text.slice(start, end)).slice(1, -1);
      start = end;
      await this.pause();
    }
    this.pending += '"';
  }

  private async pause(): Promise<void> {
    this.flush();
    if (isTurnOver()) await nextTurn(this.call);
  }

  private flush(): void {
    const piece = Buffer.from(this.pending);
    this.pending = '';
    this.pieces.push(piece);
    this.bytes += piece.length;
    if (this.bytes > maxJson) throw tooLarge();
  }
}

/** The error for more than `maxJson` bytes. */
export function tooLarge(): ServiceError {
  const log = { reason: `the JSON of a value takes more than ${maxJson} bytes` };
  return new ServiceError(500, 'The response is too large', { log });
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
