/** Diagnostics as one JSON document, as `check --format json` has them. */
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.js';
import { jsonOf } from '../../compiler/diagnostics/print-json.js';

export function printJson(diagnostics: readonly Diagnostic[]): string {
  return JSON.stringify({ diagnostics: diagnostics.map(jsonOf) }, null, 2);
}
