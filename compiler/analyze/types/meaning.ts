/** Recognizes comparisons of strings that are times, that is, dates and timestamps. */
import { isTime } from '../../../runtime/compare/times.js';
import type { ValueType } from './value-type.js';

/** Whether strings of the two types are compared of which at least one is known to be a time. */
export function isOfTimes(one: ValueType, other: ValueType): boolean {
  return one.kinds.has('string') && other.kinds.has('string') && (isOfType(one) || isOfType(other));
}

/** Whether strings of the type are times, according to the type or to a third party's claim; constants do not count. */
function isOfType({ isTime: isCertain, claim, constant }: ValueType): boolean {
  return constant === undefined && (isCertain === true || claim?.type.isTime === true);
}

/** Of two values compared as times, the one that is not known to be a time. */
export function unknownTime(one: ValueType, other: ValueType): 'left' | 'right' | undefined {
  if (!isKnown(one)) return 'left';
  return isKnown(other) ? undefined : 'right';
}

function isKnown(type: ValueType): boolean {
  return isOfType(type) || (typeof type.constant === 'string' && isTime(type.constant));
}
