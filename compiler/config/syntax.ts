/** Which of the two syntaxes an operation is written in (decisions 1.3). */
import type { Report } from '../diagnostics/report.js';
import type { Syntax } from '../expression/ast.js';
import { entryOf, type Entry, type MapNode, type Node } from './node.js';
import { meantField, resourceFields } from './resource-fields.js';

interface Sign {
  readonly syntax: Syntax;
  readonly entry: Entry;
}

const signs: Readonly<Record<string, Syntax>> = { instructions: 'A', queries: 'B', join: 'B' };

/** The syntax that the fields of a fulfillment tell, misspelt ones included; undefined when they tell none. */
export function syntaxOfFulfillment(fulfillment: MapNode): Syntax | undefined {
  const found = signsOf(fulfillment);
  const isMixed = found.some(({ syntax }) => syntax !== found[0]?.syntax);
  return isMixed ? syntaxOfExpressions(fulfillment) : found[0]?.syntax;
}

/** What somebody who mixes the two means: functions in upper case are Syntax A. */
function syntaxOfExpressions({ place }: MapNode): Syntax {
  return /\b(?:PARAM|BODY|VALUE|SIZE|TEXT|INTEGER)\(/.test(place.source.text.slice(place.start, place.end))
    ? 'A'
    : 'B';
}

function signsOf(fulfillment: MapNode): Sign[] {
  const known: readonly string[] = resourceFields['a fulfillment'];
  return fulfillment.entries.flatMap((entry) => {
    const written = entry.key.text.value;
    const field = known.includes(written) ? written : (meantField(written, known) ?? '');
    const syntax = Object.hasOwn(signs, field) ? signs[field] : undefined;
    return syntax === undefined ? [] : [{ syntax, entry }];
  });
}

/** The field `fulfillments`, misspelt or not. */
function fulfillmentsOf(map: MapNode): Node | undefined {
  const entry =
    entryOf(map, 'fulfillments') ??
    map.entries.find(({ key }) => meantField(key.text.value, ['fulfillments']) !== undefined);
  return entry?.value;
}

/**
 * Syntax B when the operation has `mappings`, or any of its fulfillments `queries` or `join`; otherwise Syntax A.
 * An operation that mixes the two is reported, and read in the syntax of its expressions.
 */
export function syntaxOf(operation: MapNode, report: Report): Syntax {
  const found: Sign[] = [];
  const mappings = entryOf(operation, 'mappings');
  if (mappings !== undefined) found.push({ syntax: 'B', entry: mappings });
  const collect = (node: Node | undefined): void => {
    for (const item of node?.kind === 'list' ? node.items : []) {
      if (item.kind !== 'map') continue;
      found.push(...signsOf(item));
      collect(fulfillmentsOf(item));
    }
  };
  collect(fulfillmentsOf(operation));
  found.sort((a, b) => a.entry.key.place.start - b.entry.key.place.start);
  const first = found[0];
  const other = found.find(({ syntax }) => syntax !== first?.syntax);
  if (first === undefined || other === undefined) return first?.syntax ?? 'A';
  report.add('mixed-syntax', other.entry.key.place, {
    field: other.entry.key.text.value,
    other: first.entry.key.text.value,
    first: first.entry.key.place,
  });
  return syntaxOfExpressions(operation);
}
