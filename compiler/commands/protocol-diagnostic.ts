/** Diagnostics as the language server protocol has them. */
import {
  DiagnosticSeverity,
  type Diagnostic as ProtocolDiagnostic,
  type Range,
} from 'vscode-languageserver/node';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import type { Explanations } from '../diagnostics/explanation.js';
import { position, type Place } from '../source.js';

/** `locate` makes a URI of the path of a source. */
export function toProtocol(
  { code, severity, message, hint, place, related }: Diagnostic,
  explanations: Explanations,
  locate: (path: string) => string,
): ProtocolDiagnostic {
  const about = explanations.get(code)?.text;
  return {
    range: rangeIn(place),
    severity: severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    code,
    source: 'apikiln',
    message: hint === undefined ? message : `${message}\n${hint}`,
    ...(about === undefined ? {} : { data: { explanation: about } }),
    relatedInformation: related.map((other) => ({
      location: { uri: locate(other.place.source.path), range: rangeIn(other.place) },
      message: other.message,
    })),
  };
}

/** Lines and characters from 0. */
export function rangeIn({ source, start, end }: Place): Range {
  const at = (offset: number): Range['start'] => {
    const { line, column } = position(source, offset);
    return { line: line - 1, character: column - 1 };
  };
  return { start: at(start), end: at(Math.max(start, end)) };
}
