/** Diagnostics as one JSON document, as printed by `check --format json`. */
import type { Diagnostic } from '../../compiler/read/diagnostics/diagnostic.js';
import { jsonOf } from '../../compiler/read/diagnostics/print/print-json.js';

export function printJson(diagnostics: readonly Diagnostic[]): string {
  return JSON.stringify({ diagnostics: diagnostics.map(jsonOf) }, null, 2);
}
