/**
 * Determines the syntax of an operation: B if it has mappings, queries or a join, otherwise A; without fulfillments, its expressions
 * decide.
 */
import type { Edit } from '../diagnostics/fix.js';
import type { Report } from '../diagnostics/report.js';
import type { Syntax } from '../expression/ast.js';
import { entryOf, type Entry, type MapNode, type Node } from './yaml/node.js';
import { fieldTable } from './field-table.js';
import { meantField } from './meant-fields.js';

interface SyntaxMarker {
  readonly syntax: Syntax;
  readonly entry: Entry;
  /** The fulfillment or operation that contains the field. */
  readonly owner: MapNode;
}

const syntaxMarkers: Readonly<Record<string, Syntax>> = { instructions: 'A', queries: 'B', join: 'B' };

/**
 * The syntax implied by the fields of a fulfillment, including misspelled ones; undefined if unclear. If its expressions use the
 * operation's syntax, the fulfillment is read in that syntax, and the name of its list is the error.
 */
export function syntaxOfFulfillment(fulfillment: MapNode, ofOperation: Syntax): Syntax | undefined {
  const found = markersOf(fulfillment);
  const isMixed = found.some(({ syntax }) => syntax !== found[0]?.syntax);
  if (isMixed || found[0]?.syntax !== ofOperation) {
    const ofExpressions = syntaxOfExpressions(fulfillment);
    if (isMixed || ofExpressions === ofOperation) return found.length === 0 ? undefined : ofExpressions;
  }
  return found[0]?.syntax;
}

/** The syntax probably meant if both are mixed: upper-case functions indicate Syntax A. */
function syntaxOfExpressions({ span }: MapNode): Syntax {
  return functionsOfA.test(span.source.text.slice(span.start, span.end)) ? 'A' : 'B';
}

const functionsOfA =
  /\b(?:PARAM|HEADER|QUERY|COOKIE|BODY|CALLER|VALUE|SIZE|TEXT|INTEGER|DECIMAL|BOOLEAN|NULL|CONCAT|COALESCE|NOW|UUID|RANDOM|SHA256|LENGTH|LOWER|HASH|VERIFY|OUTDATED|TOKEN|ADDRESS|ENV|ERROR)\(/;

const wordsOfB =
  /\b(?:param|header|query|cookie|body|caller|error)[.[]|\b(?:concat|coalesce|now|uuid|address|env)\(|\.size\(\)|[:=] *(?:"'|'''|')/;

/** Whether the names of lists are the only evidence of the operation's syntax. */
function isOpen(operation: MapNode): boolean {
  const { source, start, end } = operation.span;
  const written = source.text.slice(start, end);
  return (
    entryOf(operation, 'mappings') === undefined &&
    !functionsOfA.test(written) &&
    !/\b(?:param|body)[.[]|\.size\(\)|\bjoin:|:\[/.test(written)
  );
}

function markersOf(fulfillment: MapNode): SyntaxMarker[] {
  const known = Object.keys(fieldTable.fulfillment);
  return fulfillment.entries.flatMap((entry) => {
    const written = entry.key.text.value;
    const field = known.includes(written) ? written : (meantField(written, known) ?? '');
    const syntax = Object.hasOwn(syntaxMarkers, field) ? syntaxMarkers[field] : undefined;
    return syntax === undefined ? [] : [{ syntax, entry, owner: fulfillment }];
  });
}

/** The value of `fulfillments`, even if misspelled. */
function fulfillmentsOf(map: MapNode): Node | undefined {
  const isMeant = (written: string): boolean =>
    !Object.hasOwn(fieldTable.fulfillment, written) && meantField(written, ['fulfillments']) !== undefined;
  const entry = entryOf(map, 'fulfillments') ?? map.entries.find(({ key }) => isMeant(key.text.value));
  return entry?.value;
}

/**
 * Syntax B if the operation has `mappings`, or any of its fulfillments has `queries` or `join`; otherwise Syntax A. Without fulfillments,
 * the expressions decide. An operation that mixes both syntaxes is reported, and read in the syntax of its expressions.
 */
export function syntaxOf(operation: MapNode, report: Report): Syntax {
  const found: SyntaxMarker[] = [];
  const mappings = entryOf(operation, 'mappings');
  if (mappings !== undefined) found.push({ syntax: 'B', entry: mappings, owner: operation });
  const collect = (node: Node | undefined): void => {
    for (const item of node?.kind === 'list' ? node.items : []) {
      if (item.kind !== 'map') continue;
      found.push(...markersOf(item));
      collect(fulfillmentsOf(item));
    }
  };
  const fulfillments = fulfillmentsOf(operation);
  if (fulfillments === undefined && mappings === undefined) return syntaxOfText(operation);
  collect(fulfillments);
  found.sort((a, b) => a.entry.key.span.start - b.entry.key.span.start);
  const [first] = found;
  if (found.every(({ syntax }) => syntax === first?.syntax)) return first?.syntax ?? 'A';
  const meant = syntaxOfExpressions(operation);
  const wrong = found.filter(({ syntax }) => syntax !== meant);
  const right = found.find(({ syntax }) => syntax === meant);
  const [one] = wrong;
  if (one !== undefined && right !== undefined)
    report.add('mixed-syntax', one.entry.key.span, {
      field: one.entry.key.text.value,
      other: right.entry.key.text.value,
      first: right.entry.key.span,
      isOpen: isOpen(operation),
      hasRequest: wrong.some(({ entry }) => has(entry, /\brequest:/)),
      ...renaming(wrong, meant),
    });
  return meant;
}

/** The syntax of expressions outside of an operation with fulfillments. */
export function syntaxOfText({ span }: MapNode): Syntax {
  const written = span.source.text.slice(span.start, span.end);
  return !functionsOfA.test(written) && wordsOfB.test(written) ? 'B' : 'A';
}

function has({ value: { span } }: Entry, words: RegExp): boolean {
  return words.test(span.source.text.slice(span.start, span.end));
}

/** The intended list name, and the edits that rename it; empty if more must be rewritten. */
function renaming(wrong: readonly SyntaxMarker[], meant: Syntax): { meant?: string; edits?: Edit[] } {
  const [list, other] = meant === 'A' ? ['instructions', 'queries'] : ['queries', 'instructions'];
  const isRenamed = wrong.every(
    ({ entry: { key, value }, owner }) =>
      key.text.value === other &&
      entryOf(owner, list) === undefined &&
      !has({ key, value }, /\b(?:request|sql):/),
  );
  if (!isRenamed) return {};
  return {
    meant: list,
    edits: wrong.map(({ entry: { key } }) => ({ start: key.span.start, end: key.span.end, text: list })),
  };
}
