/** Stops slow calls of an embedded PostgreSQL. Inside a process, PostgreSQL does not have timers, but V8 can stop any call. */
import { createContext, Script } from 'node:vm';
import type { PGlite } from '@electric-sql/pglite';
import { EndedPostgres } from '../describe-postgres.js';

/** Seconds for every statement, and the number of characters for which a second is added: a whole schema file may be sent as one statement. */
const seconds = 10;
const charactersInSecond = 10_000;

/** Databases that were stopped during a statement. */
const ended = new WeakSet<PGlite>();

/** Whether the database was stopped, which makes it unusable. */
export function wasEnded(database: PGlite): boolean {
  return ended.has(database);
}

/** Runs statements with that total number of characters. Throws EndedPostgres if they take too long. */
export async function withTimeLimit<Result>(
  database: PGlite,
  characters: number,
  run: () => Promise<Result>,
): Promise<Result> {
  const limit = seconds + Math.floor(characters / charactersInSecond);
  const call = database.execProtocolRawSync.bind(database);
  let left = limit * 1000;
  database.execProtocolRawSync = (message) => {
    // PGlite sends a Sync even after a failure.
    if (wasEnded(database)) throw tooLong(limit);
    const before = performance.now();
    try {
      return callWithin(left, () => call(message));
    } catch (error) {
      if (!isTimeout(error)) throw error;
      ended.add(database);
      throw tooLong(limit);
    } finally {
      left -= performance.now() - before;
    }
  };
  try {
    return await run();
  } finally {
    Reflect.deleteProperty(database, 'execProtocolRawSync');
  }
}

const script = new Script('run()');

function callWithin<Result>(milliseconds: number, call: () => Result): Result {
  let result: { readonly value: Result } | undefined;
  const run = (): void => {
    result = { value: call() };
  };
  script.runInContext(createContext({ run }), { timeout: Math.max(1, Math.ceil(milliseconds)) });
  if (result === undefined) throw new Error('The script has not run.');
  return result.value;
}

/** Checks the code, because the error is from the script's context, which has different classes. */
function isTimeout(error: unknown): boolean {
  return Reflect.get(Object(error) as object, 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function tooLong(limit: number): EndedPostgres {
  return new EndedPostgres(`it takes longer than ${limit} seconds`);
}
