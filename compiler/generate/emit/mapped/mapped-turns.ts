/** Determines which lists of a mapped body pause for other requests: those whose items can be much larger than their rows. */
import type { Body, Entries } from '../../plan/model.js';
import { readsCall } from '../reads-others.js';

/**
 * Whether the outermost list is built in turns. A single object of the first row is, if rows are looked up in lists of lists, or if its
 * fields contain such lists.
 */
export function continuesInTurns({ of, take, item }: Entries): boolean {
  const [, next, ...more] = of;
  if (take === 'first') return more.length > 0 || hasListsInTurns(item);
  return next !== undefined || isLarger(item) || hasListsInTurns(item);
}

/** Whether a list in it is built in turns, so that its builder must await it. */
function hasListsInTurns(body: Body): boolean {
  switch (body.kind) {
    case 'object':
      return body.fields.some(({ value }) => hasListsInTurns(value));
    case 'row':
    case 'single':
      return hasListsInTurns(body.item);
    case 'entries':
      return continuesInTurns(body);
    case 'column':
    case 'value':
      return false;
  }
}

/** Whether the value of one entry reads anything but that entry: it is then repeated in each of them. */
function isLarger(item: Body): boolean {
  switch (item.kind) {
    case 'object':
      return item.fields.some(({ value }) => isLarger(value));
    case 'row':
    case 'single':
      return isLarger(item.item);
    case 'entries':
      // The first of the rows that match is not more than the entry itself.
      return item.take === 'every' || isLarger(item.item);
    case 'column':
      return true;
    case 'value':
      return readsCall(item.value) || item.reads.some(({ row }) => row === undefined);
  }
}
