/** Writes large JSON values in steps, to serve other requests in between and to check the deadline of the call. */
import type { Call } from './call.js';
import type { Json } from './json.js';
import { ServiceError } from './reply.js';
import { JsonRows } from './rows-as-json.js';
import { isTurnOver, nextTurn } from './turn.js';

/** Approximate number of characters written within a millisecond. */
const small = 32 * 1024;
/**
 * Approximate number of characters written in one turn of the event loop. Up to this size, a single string takes less time and memory
 * than many pieces.
 */
const oneTurn = 2 * 1024 * 1024;
/** Number of characters of a string that are written at a time. */
const slice = 256 * 1024;
/** Maximum bytes of a JSON document; far below the maximum string length. */
export const maxJson = 256 * 1024 * 1024;

/**
 * Whether the value is large enough for an iteration over it to pause. Stops as soon as the result is certain, but lists all field
 * names of an object: call it only once for each value.
 */
export function isLarge(value: Json | undefined): value is Json {
  return value !== undefined && left(value, small) < 0;
}

/** Whether writing the JSON takes more than one turn of the event loop, or the value contains rows that are already JSON. */
export function takesTurns(value: Json | undefined): value is Json {
  return value !== undefined && left(value, oneTurn) < 0;
}

/** The budget that remains after writing the value; negative if exceeded. */
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

/** The bytes of `JSON.stringify`, in pieces. Throws the errors of `call.proceed`, and a ServiceError 500 for more than 256 MiB. */
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

  /** Writes small elements together, because writing them one by one is several times slower. */
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

  /** Writes the elements from `start` to `end`, with a comma before them unless they are the first. */
  private writeElements(elements: readonly Json[], start: number, end: number): void {
    if (start === end) return;
    if (start > 0) this.pending += ',';
    this.pending += JSON.stringify(elements.slice(start, end)).slice(1, -1);
  }

  private async writeObject(fields: Readonly<Record<string, Json>>): Promise<void> {
    let separator = '';
    this.pending += '{';
    // `Object.entries` is four times slower for hundreds of thousands of fields, and does not pause.
    for (const name of Object.keys(fields)) {
      this.pending += `${separator}${JSON.stringify(name)}:`;
      separator = ',';
      const waits = this.writePart(fields[name] ?? null);
      if (waits !== undefined) await waits;
    }
    this.pending += '}';
  }

  /** Returns a promise only if there is something to wait for, because most elements are small. */
  private writePart(value: Json): Promise<void> | undefined {
    if (isLarge(value)) return this.writeLarge(value);
    this.pending += JSON.stringify(value);
    return this.pending.length < small ? undefined : this.pause();
  }

  private async writeString(text: string): Promise<void> {
    this.pending += '"';
    let start = 0;
    while (start < text.length) {
      // Do not split a surrogate pair: each half would be escaped.
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
