/** Formats the modules of a service. */
import type { CompilationCache } from '../compilation-cache.js';
import { printCode } from '../print/print-code.js';
import type { WidthOf } from '../print/print-doc.js';

/** Modules that an earlier build has formatted are taken from `cache`. */
export async function formatAll(
  texts: readonly string[],
  cache: CompilationCache['formatted'],
): Promise<string[]> {
  const formatted: string[] = [];
  for (const text of texts) {
    const written = cache.get(text) ?? printCode(text, await widthIn(text)) ?? (await withPrettier(text));
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

/** Other letters than those of European languages may take two columns, or none: prettier knows which. */
async function widthIn(text: string): Promise<WidthOf> {
  if (/^[\n -~\u00a0-\u02ff]*$/.test(text)) return ({ length }) => length;
  const { util } = await import('prettier');
  return util.getStringWidth;
}
