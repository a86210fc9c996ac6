/** Risks as text for people and as JSON for programs. */
import { visible } from '../../read/diagnostics/visible.js';
import { position } from '../../read/source.js';
import { severities, type Risk } from './risk.js';

/** `config.yaml:12:3: high: message [rule]`, its hint below, and a count at the end. `warnings`: those of check. */
export function printRisks(risks: readonly Risk[], warnings: number): string {
  const texts = risks.map(({ rule, severity, span, message, hint }) => {
    const { line, column } = position(span.source, span.start);
    return `${span.source.path}:${line}:${column}: ${severity}: ${visible(message)} [${rule}]\n  ${visible(hint)}`;
  });
  const counts = severities.flatMap((severity) => {
    const count = risks.filter((risk) => risk.severity === severity).length;
    return count === 0 ? [] : [`${count} ${severity}`];
  });
  const others = warnings === 0 ? '' : ` check has ${warnings} warning${warnings === 1 ? '' : 's'} too.`;
  return [...texts, `${counts.length === 0 ? 'No risks found' : counts.join(', ')}.${others}`].join('\n\n');
}

export function printRisksJson(risks: readonly Risk[], warnings: number): string {
  const list = risks.map(({ rule, severity, span, message, hint }) => {
    const [start, end] = [position(span.source, span.start), position(span.source, span.end)];
    return {
      ...{ rule, severity, file: span.source.path, ...start },
      ...{ endLine: end.line, endColumn: end.column, message, hint },
    };
  });
  return JSON.stringify({ risks: list, warnings }, null, 2);
}
