/** Copies values as plain JSON, so that user code and calls cannot change each other's data through shared objects. */
import { types } from 'node:util';
import { UploadedFile } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import { loopLimit } from '../handler/memory.js';

/** A value that is not JSON, identified by its position. The value itself is never shown. */
export class NotJson extends Error {
  override readonly name = 'NotJson';

  constructor(
    /** The position, as a JSON pointer. */
    readonly pointer: string,
    /** The end of a sentence: `is a function`. */
    readonly problem: string,
  ) {
    super(problem);
  }
}

export interface Copy {
  readonly value: Json;
  /** The estimated size in memory. */
  readonly bytes: number;
}

/** Copies an uploaded file for a user function. */
type CopyFile = (file: UploadedFile) => object;

/** Far deeper than any reasonable value. */
const maxDepth = 1000;

/**
 * Copies strings, finite numbers, booleans, null, lists and plain objects. A BigInt becomes a number, or a string of its digits if it
 * does not fit in a double; a Date becomes a string. Files are copied by `copyFile`, and otherwise are not JSON. Throws a NotJson for other values, for cycles, and for more than LIST_MEMORY.
 */
export function copyOf(value: unknown, isFrozen = false, copyFile?: CopyFile): Copy {
  const copier = new Copier(isFrozen, copyFile);
  const copied = copier.copy(value);
  return { value: copied, bytes: copier.bytes };
}

class Copier {
  bytes = 0;
  private readonly path: (string | number)[] = [];
  private readonly around = new Set<object>();

  constructor(
    private readonly isFrozen: boolean,
    private readonly copyFile: CopyFile | undefined,
  ) {}

  copy(value: unknown): Json {
    switch (typeof value) {
      case 'string':
        this.take(16 + value.length);
        return value;
      case 'number':
        this.take(8);
        if (!Number.isFinite(value)) throw this.refused('is not a finite number');
        return value;
      case 'boolean':
        this.take(8);
        return value;
      case 'bigint': {
        const number = Number(value);
        return Number.isSafeInteger(number) ? number : this.copy(String(value));
      }
      case 'object':
        return value === null ? null : this.object(value);
      default:
        throw this.refused(value === undefined ? 'is undefined' : `is a ${typeof value}`);
    }
  }

  private object(value: object): Json {
    // A proxy could return something different each time.
    if (types.isProxy(value)) throw this.refused('is a Proxy');
    if (types.isDate(value)) return this.date(value);
    if (this.copyFile !== undefined && value instanceof UploadedFile) return this.copyFile(value) as Json;
    const isArray = Array.isArray(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (!isArray && prototype !== null && prototype !== Object.prototype)
      throw this.refused('is an instance of a class');
    if (this.around.has(value)) throw this.refused('contains itself');
    if (this.around.size === maxDepth) throw this.refused(`is inside more than ${maxDepth} others`);
    this.around.add(value);
    const copied = isArray ? this.elements(value) : this.fields(value);
    this.around.delete(value);
    if (this.isFrozen) Object.freeze(copied);
    return copied;
  }

  private date(value: Date): Json {
    const time = Date.prototype.getTime.call(value);
    if (Number.isNaN(time)) throw this.refused('is an invalid date');
    return this.copy(new Date(time).toISOString());
  }

  private elements(value: readonly unknown[]): Json[] {
    this.take(64 + 8 * value.length);
    const copied: Json[] = [];
    for (let index = 0; index < value.length; index += 1) {
      this.path.push(index);
      copied.push(this.copy(value[index]));
      this.path.pop();
    }
    return copied;
  }

  /** Copies fields, omitting undefined values as in JSON. */
  private fields(value: object): Record<string, Json> {
    this.take(64);
    const copied: Record<string, Json> = {};
    for (const name of Object.keys(value)) {
      const field: unknown = Reflect.get(value, name);
      if (field === undefined) continue;
      this.take(16 + name.length);
      this.path.push(name);
      const own = this.copy(field);
      this.path.pop();
      // A plain assignment would set the prototype.
      if (name === '__proto__')
        Object.defineProperty(copied, name, {
          value: own,
          enumerable: true,
          configurable: true,
          writable: true,
        });
      else copied[name] = own;
    }
    return copied;
  }

  private take(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > loopLimit.memory)
      throw this.refused(`is one of too many: they take more than ${loopLimit.memory} bytes (LIST_MEMORY)`);
  }

  private refused(problem: string): NotJson {
    const steps = this.path.map(
      (step) => `/${String(step).slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    );
    const pointer = steps.length > 20 ? [...steps.slice(0, 5), '/…', ...steps.slice(-5)] : steps;
    return new NotJson(pointer.join(''), problem);
  }
}
