/** Prints risks as text and as JSON. */
import { json } from '../../notation/json-writer.js';
import { screen, type Shown } from '../../notation/screen-writer.js';
import { joined, type Written } from '../../notation/written.js';
import { position, type Span } from '../../read/source.js';
import type { Audit } from './audit-service.js';
import { severities, type Risk } from './risk.js';
import { counted } from '../../read/diagnostics/quoted-list.js';
import { rangeOf } from '../../read/diagnostics/print/print-json.js';

/**
 * `config.yaml:12:3: high: message [rule]`, the hint below, a total, and the reasons of accepted risks. `warnings` is the number of `check`
 * warnings.
 */
export function printRisks({ risks, accepted, unneeded }: Audit, warnings: number): Shown {
  const texts = risks.map((risk) => screen`${headOf(risk)}\n  ${screen.text(risk.hint)}`);
  const counts = severities.flatMap((severity) => {
    const count = risks.filter((risk) => risk.severity === severity).length;
    return count === 0 ? [] : [`${count} ${severity}`];
  });
  const others = warnings === 0 ? '' : ` check also has ${counted(warnings, 'warning')}.`;
  const found = accepted.length === 0 ? 'No risks found' : 'No other risks found';
  const list = accepted.map((risk) => screen`${headOf(risk)}\n  Accepted: ${screen.text(risk.reason)}`);
  const wrong = unneeded.map(
    ({ value, span }) =>
      screen`${placeOf(span)}: warning: There is no risk '${screen.text(value)}' here. Remove it from the comment. [unneeded-comment]`,
  );
  const total = `${counts.length === 0 ? found : counts.join(', ')}${acceptedCount(accepted.length)}.${others}`;
  return joined([...texts, ...list, ...wrong, screen.text(total)], '\n\n');
}

export function printRisksJson({ risks, accepted, unneeded }: Audit, warnings: number): Written<'json'> {
  return json.value(
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
    2,
  );
}

function acceptedCount(count: number): string {
  return count === 0 ? '' : `, ${count} accepted`;
}

function headOf({ rule, severity, span, message }: Risk): Shown {
  return screen`${placeOf(span)}: ${screen.text(severity)}: ${screen.text(message)} [${screen.text(rule)}]`;
}

function placeOf(span: Span): Shown {
  const { line, column } = position(span.source, span.start);
  return screen`${screen.text(span.source.path)}:${line}:${column}`;
}

function asJson({ rule, severity, span, message, hint }: Risk): object {
  return { rule, severity, file: span.source.path, ...rangeOf(span), message, hint };
}
