/** What follows the '#' of a URL. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { spanBeside, type Span } from '../../../read/source.js';
import { rule } from '../rule.js';

/** From the first `#` outside of placeholders; all of it where that is not seen. */
function fragmentIn(span: Span): Span {
  const written = span.source.text.slice(span.start, span.end);
  const at = fragmentStart(written);
  return at === -1 ? span : spanBeside(span, span.start + at, span.end, span.scalar);
}

/** The index of the first `#` outside of placeholders, or -1. */
function fragmentStart(written: string): number {
  for (let from = 0; ;) {
    const at = written.indexOf('#', from);
    const placeholder = written.indexOf(':[', from);
    if (placeholder === -1 || at === -1 || at < placeholder) return at;
    const end = written.indexOf(']', placeholder);
    if (end === -1) return at;
    from = end;
  }
}

export const urlFragment = rule(
  {
    'url-fragment': warning(() => ({
      message: "The '#' part of a URL is never sent.",
      hint: "Remove it, or write %23 for the character '#'.",
    })),
  },
  ({ report }) => ({
    request: ({ url: written }, { url }) => {
      if (written !== undefined && url !== undefined && 'url' in url && url.hasFragment)
        report('url-fragment', fragmentIn(written.span));
    },
  }),
);
