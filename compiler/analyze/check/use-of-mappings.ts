/** Determines whether the mappings and joins used by an operation's responses are known, for rules about unused ones. */
import type { AnalyzedOperation } from '../operations/analyzed-operation.js';
import { describedStatus } from '../mapping/described.js';
import { namesRead } from '../mapping/entries.js';

/** False if another error (already reported) may be the reason why a mapping is unused. */
export function isUseKnown(analyzed: AnalyzedOperation): boolean {
  const { operation, endpoint, mappings, meant, joins, mapped } = analyzed;
  const isMapped = operation.fields.has('mappings');
  if (isMapped && (operation.endpoint === undefined || meant === undefined)) return false;
  if (mappings === undefined || (mappings.length > 0 && endpoint === undefined)) return false;
  if (operation.responses.some((response) => endpoint && describedStatus(response, endpoint) === undefined))
    return false;
  if (mappings.some(({ isUnread }) => isUnread === true)) return false;
  return joins.areSound && !mapped.findings.hasErrors && isReadable(analyzed);
}

/** Whether every mapped field is readable and reads existing fulfillments. */
function isReadable({ mappings = [], loopsByName }: AnalyzedOperation): boolean {
  return mappings
    .flatMap(({ fields }) => fields)
    .every(({ value }) => value !== undefined && namesRead(value).every((name) => loopsByName.has(name)));
}
