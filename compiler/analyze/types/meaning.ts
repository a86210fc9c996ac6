/** Comparisons of strings that are known to be times: dates and timestamps. */
import { isTime } from '../../../runtime/compare/times.js';
import type { ValueType } from './value-type.js';

/** Whether strings of the two types are compared, one of which is known to be a time. */
export function isOfTimes(one: ValueType, other: ValueType): boolean {
  return one.kinds.has('string') && other.kinds.has('string') && (isOfType(one) || isOfType(other));
}

/** Whether its strings are times by their type or by the claim of a third party: a string that is not a time cannot be ordered. */
function isOfType({ isTime: isCertain, claim, constant }: ValueType): boolean {
  return constant === undefined && (isCertain === true || claim?.type.isTime === true);
}

/** Of two values that are compared as times: which of them is not known to be one. */
export function unknownTime(one: ValueType, other: ValueType): 'left' | 'right' | undefined {
  if (!isKnown(one)) return 'left';
  return isKnown(other) ? undefined : 'right';
}

function isKnown(type: ValueType): boolean {
  return isOfType(type) || (typeof type.constant === 'string' && isTime(type.constant));
}
