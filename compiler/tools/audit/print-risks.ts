/** Risks as text for people and as JSON for programs. */
import { visible } from '../../read/diagnostics/visible.js';
import { position, type Span } from '../../read/source.js';
import type { Audit } from './audit-service.js';
import { severities, type Risk } from './risk.js';
import { counted } from '../../read/diagnostics/quoted-list.js';
import { rangeOf } from '../../read/diagnostics/print/print-json.js';

/**
 * `config.yaml:12:3: high: message [rule]`, its hint below, a count, and what comments say of other risks. `warnings`: those of check.
 */
export function printRisks({ risks, accepted, unneeded }: Audit, warnings: number): string {
  const texts = risks.map((risk) => `${headOf(risk)}\n  ${visible(risk.hint)}`);
  const counts = severities.flatMap((severity) => {
    const count = risks.filter((risk) => risk.severity === severity).length;
    return count === 0 ? [] : [`${count} ${severity}`];
  });
  const others = warnings === 0 ? '' : ` check also has ${counted(warnings, 'warning')}.`;
  const found = accepted.length === 0 ? 'No risks found' : 'No other risks found';
  const list = accepted.map((risk) => `${headOf(risk)}\n  Accepted: ${visible(risk.reason)}`);
  const wrong = unneeded.map(
    ({ value, span }) =>
      `${placeOf(span)}: warning: There is no risk '${value}' here. Remove it from the comment. [unneeded-comment]`,
  );
  return [
    ...texts,
    ...list,
    ...wrong,
    `${counts.length === 0 ? found : counts.join(', ')}${acceptedCount(accepted.length)}.${others}`,
  ].join('\n\n');
}

export function printRisksJson({ risks, accepted, unneeded }: Audit, warnings: number): string {
  return JSON.stringify(
    {
      risks: risks.map(asJson),
      accepted: accepted.map((risk) => ({ ...asJson(risk), reason: risk.reason })),
      unneededComments: unneeded.map(({ value, span }) => ({
        rule: value,
        file: span.source.path,
        ...rangeOf(span),
      })),
      warnings,
    },
    null,
    2,
  );
}

function acceptedCount(count: number): string {
  return count === 0 ? '' : `, ${count} accepted`;
}

function headOf({ rule, severity, span, message }: Risk): string {
  return `${placeOf(span)}: ${severity}: ${visible(message)} [${rule}]`;
}

function placeOf(span: Span): string {
  const { line, column } = position(span.source, span.start);
  return `${span.source.path}:${line}:${column}`;
}

function asJson({ rule, severity, span, message, hint }: Risk): object {
  return { rule, severity, file: span.source.path, ...rangeOf(span), message, hint };
}
