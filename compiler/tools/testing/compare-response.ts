/** Compares a response with a test's expected response. */
import type { Span } from '../../read/source.js';
import { filledText, type SavedValues } from './actual-values.js';
import { differences, matches, shownValue, type Change } from './compare-values.js';
import type { ReceivedResponse } from './send-request.js';
import { spanOf, type TestStep } from './read/test-model.js';

/** A deviation from the expectation. */
export interface Finding {
  readonly span: Span;
  readonly message: string;
  readonly path?: string | undefined;
  readonly change?: Change | undefined;
}

/** `refusal`: why the credentials of the request were refused. */
export function compareResponse(
  step: TestStep,
  actual: ReceivedResponse,
  kept: SavedValues,
  refusal?: string,
): Finding[] {
  const { response } = step;
  const { statuscode, header, body, bodyIncludes } = response ?? {};
  const reason = refusal === undefined ? '' : ` (credentials refused: ${refusal})`;
  const shownBody = actual.body === undefined ? '' : `: ${shownValue(actual.body)}`;
  const findings: Finding[] = [];
  if (statuscode === undefined ? actual.status >= 400 : actual.status !== statuscode.value)
    findings.push({
      span: statuscode?.node.span ?? spanOf(step),
      message: `expected the status ${statuscode?.value ?? 'of a success'}, but it is ${actual.status}${reason}${shownBody}`,
      ...(statuscode && { change: { kind: 'value', node: statuscode.node, actual: actual.status } as const }),
    });
  // If an error is returned instead of the response, other differences are irrelevant.
  if (findings.length > 0 && actual.status >= 400 && (statuscode?.value ?? 200) < 400) return findings;
  for (const { key, value } of header?.entries ?? []) {
    const name = key.text.value;
    const actualValue = actual.headers[name.toLowerCase()];
    const text = Array.isArray(actualValue) ? actualValue.join(', ') : actualValue;
    const isAbsent = value.kind === 'scalar' && value.value === null;
    const isSame =
      value.kind === 'scalar' &&
      (isAbsent
        ? text === undefined
        : (typeof value.value === 'string' && matches(value, text, kept)) ||
          filledText(value.text.value, kept) === text);
    if (isSame) continue;
    const expected = isAbsent ? 'no such header' : value.kind === 'scalar' ? value.text.value : 'a text';
    findings.push({
      span: value.span,
      message: `expected the header ${name} to be ${expected}, but it is ${text ?? 'missing'}`,
      ...(isAbsent || text === undefined
        ? {}
        : { change: { kind: 'value', node: value, actual: text } as const }),
    });
  }
  if (body !== undefined) findings.push(...differences(body, actual.body, { kept, isPartial: false }));
  if (bodyIncludes !== undefined)
    findings.push(...differences(bodyIncludes, actual.body, { kept, isPartial: true }));
  return findings;
}
