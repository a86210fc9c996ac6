/** Formats the modules of a service. */
import type { CompilationCache } from '../compilation-cache.js';
import { printCode } from '../print/print-code.js';

/** Modules that an earlier build has formatted are taken from `cache`. */
export async function formatAll(
  texts: readonly string[],
  cache: CompilationCache['formatted'],
): Promise<string[]> {
  const formatted: string[] = [];
  for (const text of texts) {
    const written = cache.get(text) ?? printCode(text) ?? (await withPrettier(text));
    cache.set(text, written);
    formatted.push(written);
  }
  return formatted;
}

/** Loaded for what the generator's own printer does not know: it takes as long as all else of a small build. */
async function withPrettier(text: string): Promise<string> {
  const { formatTypeScript } = await import('./format.js');
  return formatTypeScript(text);
}
