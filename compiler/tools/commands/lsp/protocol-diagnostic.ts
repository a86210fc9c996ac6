/** Converts diagnostics to the language server protocol. */
import {
  DiagnosticSeverity,
  type Diagnostic as ProtocolDiagnostic,
  type Range,
} from 'vscode-languageserver/node';
import type { Diagnostic } from '../../../read/diagnostics/diagnostic.js';
import type { Explanations } from '../../../read/diagnostics/explanation.js';
import { position, type Span } from '../../../read/source.js';

/** `locate` converts the path of a source to a URI. */
export function toProtocol(
  { code, severity, message, hint, span, related }: Diagnostic,
  explanations: Explanations,
  locate: (path: string) => string,
): ProtocolDiagnostic {
  const about = explanations.get(code)?.text;
  return {
    range: rangeIn(span),
    severity: severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    code,
    source: 'apikiln',
    message: hint === undefined ? message : `${message}\n${hint}`,
    ...(about === undefined ? {} : { data: { explanation: about } }),
    relatedInformation: related.map((other) => ({
      location: { uri: locate(other.span.source.path), range: rangeIn(other.span) },
      message: other.message,
    })),
  };
}

/** Zero-based lines and characters. */
export function rangeIn({ source, start, end }: Span): Range {
  const at = (offset: number): Range['start'] => {
    const { line, column } = position(source, offset);
    return { line: line - 1, character: column - 1 };
  };
  return { start: at(start), end: at(Math.max(start, end)) };
}
