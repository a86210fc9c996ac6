/** Reports misspelled placeholders in URLs, headers and messages, such as `{id}` or `${id}`, which the service would send literally. */
import type { Report } from '../diagnostics/report.js';
import type { Notation } from '../expression/notation.js';
import { readingFunctions } from '../expression/functions.js';
import { tryPlaceholder } from '../expression/parse/placeholder.js';
import type { ScalarText } from '../source.js';
import { rewriteOf } from '../sql/rewrite/meant-placeholder.js';

const reading = readingFunctions.join('|');

/**
 * `${id}`, `#{id}`, `{{id}}`, `{id}`, `[PARAM(id)]`, `:PARAM(id)`, `PARAM(id)`, `param.id`, `/:id`, and a message that is `TEXT(…)`; the groups are
 * the inner expressions.
 */
const slip = RegExp(
  [
    ...[/[$#]\{([^{}\n]*)\}/, /\{\{([^{}\n]*)\}\}/, /\{([^{}\n]*)\}/].map(({ source }) => source),
    String.raw`\[((?:${reading})\([^()\n]*\)|(?:param|body)\.[\w.]+)\]`,
    String.raw`:((?:${reading})\([^()\n]*\)|(?:param|body)\.\w[\w.]*)`,
    String.raw`\b(?:${reading})\([^()\n]*\)`,
    ...[/(?<![\w./-])param\.[A-Za-z_]\w*/, /(?<=\/):([A-Za-z_]\w*)/, /^TEXT\([^()\n]*\)$/].map(
      ({ source }) => source,
    ),
  ].join('|'),
  'g',
);

const expressionStart = RegExp(String.raw`^\s*(?:(?:${reading})\(|(?:param|body)[.[])`);

/** Reports an error for URLs, which would not work, and a warning for headers and messages, where the text may be intended. */
export function checkTemplate(
  text: ScalarText,
  field: 'url' | 'header' | 'message' | 'text' | 'html',
  notation: Notation,
  report: Report,
): void {
  const { value } = text;
  const covered = placeholdersIn(text, notation);
  for (const found of value.matchAll(slip)) {
    const start = found.index;
    const end = start + found[0].length;
    if (covered.some((other) => start < other.end && end > other.start)) continue;
    const [written, dollar, double, single, bracketed, behindColon, segment] = found;
    const inner = dollar ?? double ?? single ?? bracketed ?? behindColon ?? segment;
    if (!isMeant(written, { inner, single, segment }, field)) continue;
    const rewrite = written.startsWith('TEXT(')
      ? written.slice(5, -1).replace(/^"(.*)"$/s, '$1')
      : rewriteOf(inner ?? written, { kind: 'query', ...notation });
    const where = text.spanOf(start, end);
    if (field === 'url') report.add('bare-placeholder-in-url', where, { written, rewrite });
    else report.add('bare-placeholder', where, { written, rewrite, field });
  }
}

/**
 * Whether the text is probably meant as a placeholder: braces and colons have a meaning only in URLs, and `param.title` may be plain words
 * in a message.
 */
function isMeant(
  written: string,
  parts: { inner: string | undefined; single: string | undefined; segment: string | undefined },
  field: 'url' | 'header' | 'message' | 'text' | 'html',
): boolean {
  const { inner, single, segment } = parts;
  // Upper-case references to the environment get their own diagnostic.
  if (written.startsWith('$'))
    return (
      isProse(field) || (field === 'url' && !/^\$\{[A-Z\d_]{0,100}(?::[^{}\n]{0,200})?\}$/.test(written))
    );
  if (segment !== undefined) return field === 'url';
  if (single !== undefined) return expressionStart.test(single) || (field === 'url' && /^\w+$/.test(single));
  if (written.startsWith('TEXT(')) return isProse(field);
  if (inner === undefined && written.startsWith('VALUE(')) return written.includes('$');
  return !isProse(field) || inner !== undefined || /^[A-Z]/.test(written);
}

function isProse(field: string): boolean {
  return field === 'message' || field === 'text' || field === 'html';
}

/** The ranges of valid placeholders. */
function placeholdersIn(text: ScalarText, notation: Notation): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  let at = text.value.indexOf(':[');
  while (at !== -1) {
    const { end } = tryPlaceholder(text, at + 2, notation);
    found.push({ start: at, end });
    at = text.value.indexOf(':[', Math.max(end, at + 2));
  }
  return found;
}
