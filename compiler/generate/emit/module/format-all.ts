/** Formats the modules of a service: many of them on several threads, because it is half the time of a large build. */
import { availableParallelism } from 'node:os';
import type { CompilationCache } from '../compilation-cache.js';
import { formatEach } from './format.js';
import { askThread, startThread } from './thread.js';

/** Fewer modules than this are formatted before another thread has loaded prettier. */
const fewest = 100;

/** How many modules a thread gets at a time: at the end none waits long for another. */
const share = 20;

/** More threads load prettier for nothing. */
const maxThreads = 4;

/** Files that an earlier build has formatted are taken from `cache`. */
export async function formatAll(
  texts: readonly string[],
  cache: CompilationCache['formatted'],
): Promise<string[]> {
  const unknown = [...new Set(texts)].filter((text) => cache.get(text) === undefined);
  const others = unknown.length < fewest ? 0 : Math.min(maxThreads, availableParallelism() - 1);
  const workers = Array.from({ length: others }, () => startThread('format-thread') ?? []).flat();
  const shares = sharesOf(unknown);
  const formatShares = async (
    format: (own: readonly string[]) => Promise<readonly string[]>,
  ): Promise<void> => {
    for (const own of shares) {
      const formatted = await format(own);
      for (const [index, text] of own.entries()) cache.set(text, formatted[index] ?? '');
    }
  };
  try {
    await Promise.all([
      formatShares(formatEach),
      ...workers.map((worker) => formatShares((own) => askThread<string[]>(worker, own))),
    ]);
  } finally {
    for (const worker of workers) void worker.terminate();
  }
  return texts.map((text) => cache.get(text) ?? '');
}

/** One iterator for all threads: each part goes to one of them. */
function* sharesOf(texts: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < texts.length; from += share) yield texts.slice(from, from + share);
}
