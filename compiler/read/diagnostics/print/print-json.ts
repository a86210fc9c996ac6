/** Diagnostics as JSON for programs: the shape is public, see docs/reference/diagnostics.md. */
import { position, type Span, type Source } from '../../source.js';
import type { Diagnostic } from '../diagnostic.js';
import type { Edit } from '../fix.js';
import { secretsOf } from '../secrets/secrets.js';

/** A span of a file; lines and columns are from 1, columns count UTF-16 units, the end is after the last character. */
export interface JsonRange {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** A diagnostic as `--format json` prints it. */
export interface JsonDiagnostic extends JsonRange {
  readonly file: string;
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly related: readonly (JsonRange & { readonly file: string; readonly message: string })[];
  readonly fixes: readonly JsonFix[];
}

/** Edits that belong together; `safe`: nothing else can be meant. */
export interface JsonFix {
  readonly safe: boolean;
  readonly edits: readonly (JsonRange & { readonly text: string })[];
}

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

/** Lines and columns of a span. */
export function rangeOf({ source, start, end }: Span): JsonRange {
  const [from, to] = [position(source, start), position(source, Math.max(start, end))];
  return { line: from.line, column: from.column, endLine: to.line, endColumn: to.column };
}

/** Whether the edit rewrites a value that must not be shown, such as the URL with the password around a misspelt option. */
export function isSecret(source: Source, { start, end }: Edit): boolean {
  return secretsOf(source).masked(start, end) !== source.text.slice(start, end);
}

function editOf(source: Source, { start, end, text }: Edit): JsonRange & { readonly text: string } {
  return { ...rangeOf({ source, start, end }), text };
}
