/** The types of diagnostics as JSON. The format is public, see docs/reference/diagnostics.md. */

/** The range of a span. Lines and columns count from 1, columns are UTF-16 code units, the end is exclusive. */
export interface JsonRange {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** A diagnostic in the output of `--format json`. */
export interface JsonDiagnostic extends JsonRange {
  /** The path of the file. */
  readonly file: string;
  readonly severity: 'error' | 'warning';
  /** The code, which `apikiln explain <code>` explains. */
  readonly code: string;
  /** The error and its reason: one or two sentences. */
  readonly message: string;
  /** A suggestion, if there is one. */
  readonly hint?: string;
  /** Positions that belong to the diagnostic, such as that of a first definition. */
  readonly related: readonly (JsonRange & { readonly file: string; readonly message: string })[];
  readonly fixes: readonly JsonFix[];
}

/** Edits that belong together; `safe` if the fix is unambiguous. */
export interface JsonFix {
  readonly safe: boolean;
  readonly edits: readonly (JsonRange & { readonly text: string })[];
}
