/**
 * Determines which lists of a mapped body are built in turns, pausing for other requests: lists whose items can be much larger than their
 * rows.
 */
import type { Body, Entries } from '../../plan/model.js';
import { readsCall } from '../reads-others.js';

/**
 * Whether the list is built in turns. The object of a single first row also is, if it looks up rows in nested lists or its fields contain
 * such lists.
 */
export function continuesInTurns({ of, take, item }: Entries): boolean {
  const [, next, ...more] = of;
  if (take === 'first') return more.length > 0 || hasListsInTurns(item);
  return next !== undefined || isLarger(item) || hasListsInTurns(item);
}

/** Whether the body contains a list built in turns, so that its builder must await it. */
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

/** Whether the item reads data other than its own row, which is then repeated in every item. */
function isLarger(item: Body): boolean {
  switch (item.kind) {
    case 'object':
      return item.fields.some(({ value }) => isLarger(value));
    case 'row':
    case 'single':
      return isLarger(item.item);
    case 'entries':
      // The first matching row is no larger than the row itself.
      return item.take === 'every' || isLarger(item.item);
    case 'column':
      return true;
    case 'value':
      return readsCall(item.value) || item.reads.some(({ row }) => row === undefined);
  }
}
