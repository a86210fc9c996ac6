/** Prints diagnostics as JSON. */
import { position, type Span, type Source } from '../../source.js';
import type { Diagnostic } from '../diagnostic.js';
import type { Edit } from '../fix.js';
import { secretsOf } from '../secrets/secrets.js';
import type { JsonDiagnostic, JsonRange } from './json-diagnostic.js';

export function jsonOf({ code, severity, message, hint, fix, span, related }: Diagnostic): JsonDiagnostic {
  const isShown = fix?.edits.every((edit) => !isSecret(span.source, edit)) === true;
  return {
    file: span.source.path,
    ...rangeOf(span),
    severity,
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    related: related.map((other) => ({
      message: other.message,
      file: other.span.source.path,
      ...rangeOf(other.span),
    })),
    fixes: isShown ? [{ safe: fix.isSafe, edits: fix.edits.map((edit) => editOf(span.source, edit)) }] : [],
  };
}

/** The range of a span. */
export function rangeOf({ source, start, end }: Span): JsonRange {
  const [from, to] = [position(source, start), position(source, Math.max(start, end))];
  return { line: from.line, column: from.column, endLine: to.line, endColumn: to.column };
}

/** Whether the edit rewrites a secret value, such as a URL that contains a password and a misspelled option. */
export function isSecret(source: Source, { start, end }: Edit): boolean {
  return secretsOf(source).masked(start, end) !== source.text.slice(start, end);
}

function editOf(source: Source, { start, end, text }: Edit): JsonRange & { readonly text: string } {
  return { ...rangeOf({ source, start, end }), text };
}
