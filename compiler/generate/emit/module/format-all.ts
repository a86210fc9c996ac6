/** Formats the modules of a service with oxfmt, or with prettier if oxfmt has no binding for the platform. The output is identical. */
import type { format as Format } from 'oxfmt';
import type { CompilationCache } from '../compilation-cache.js';
import { layout } from './layout.js';

/** Modules already formatted by an earlier build come from `cache`. */
export async function formatAll(
  texts: readonly string[],
  cache: CompilationCache['formatted'],
): Promise<string[]> {
  const formatted: string[] = [];
  for (const text of texts) {
    const written = cache.get(text) ?? (await formatCode(text));
    cache.set(text, written);
    formatted.push(written);
  }
  return formatted;
}

/** Undefined if there is no binding. */
let oxfmt: Promise<typeof Format | undefined> | undefined;

/** Characters whose width is the same in oxfmt and prettier. */
const sameWidth =
  /^[\n -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u3000-\u3029\u3041-\u3096\u309b-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*$/;

/**
 * Constructs that oxfmt and prettier break differently: a long union type after a key, a negation in a condition, and brackets before an
 * index.
 */
const brokenOtherwise = /:\n *\||!\(\n|\n[ \])}]*\)(?:\?\.)?\[/;

async function formatCode(text: string): Promise<string> {
  const format = sameWidth.test(text) ? await (oxfmt ??= loadOxfmt()) : undefined;
  const { code, errors } = (await format?.('module.mts', text, layout)) ?? {};
  return code === undefined || errors?.length !== 0 || brokenOtherwise.test(code) ? withPrettier(text) : code;
}

/** Loads the binding on first use. */
async function loadOxfmt(): Promise<typeof Format | undefined> {
  try {
    const { format } = await import('oxfmt');
    await format('module.mts', '', layout);
    return format;
  } catch {
    return undefined;
  }
}

async function withPrettier(text: string): Promise<string> {
  const { formatTypeScript } = await import('./format.js');
  return formatTypeScript(text);
}
