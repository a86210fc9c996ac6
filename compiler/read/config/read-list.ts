/** Reads `order` and `page` of a READ: orders that a request can choose, and pagination. */
import type { Notation } from '../expression/notation.js';
import type { ScalarText } from '../source.js';
import type { ListOrder, ListPage, OrderColumn } from './config-model.js';
import type { Fields } from './fields.js';
import { fieldTable } from './field-table.js';
import { isBroken, isEmpty, type Node } from './yaml/node.js';

/** Reads `order`; undefined if the field is missing. */
export function readOrder(fulfillment: Fields, notation: Notation): ListOrder | undefined {
  const fields = fulfillment.inside('order', fieldTable.order, "'order'");
  if (fields === undefined) return undefined;
  const { report } = fields;
  fields.require();
  const allow = (fields.mapping('allow')?.entries ?? []).map(({ key, value }) => {
    if (key.text.value.trim() === '') report.add('empty-name', key.span, { resource: 'Order' });
    return {
      name: { value: key.text.value, span: key.span },
      columns: columnsIn(value, `Order '${key.text.value}'`, `${key.text.value}: created DESC`, fields),
    };
  });
  const orders = fields.node('allow');
  if (orders?.kind === 'map' && orders.entries.length === 0)
    report.add('wrong-kind', orders.span, {
      what: "'allow' of 'order'",
      expected: 'a map with at least one order',
      example: 'allow: { newest: created DESC }',
    });
  const key = fields.node('key');
  return {
    by: fields.expression('by', { ...notation, bareWord: 'query' }),
    allow,
    default: fields.stringWithSpan('default'),
    key: key === undefined ? [] : keyIn(key, fields),
    fields: fields.spans,
  };
}

/** Reads `page`; undefined if the field is missing. */
export function readPage(fulfillment: Fields, notation: Notation): ListPage | undefined {
  const fields = fulfillment.inside('page', fieldTable.page, "'page'");
  if (fields === undefined) return undefined;
  const isNumbered = fields.has('number') || fields.has('offset');
  const required = isNumbered ? ['max'] : ['max', 'after'];
  fields.require(required, { after: notation.syntax === 'A' ? undefined : 'query.after' });
  const asked: Notation = { ...notation, bareWord: 'query' };
  return {
    limit: fields.expression('limit', asked),
    max: fields.integer('max')?.value ?? 1,
    after: fields.expression('after', asked),
    number: fields.expression('number', asked),
    offset: fields.expression('offset', asked),
    maxOffset: fields.integer('maxOffset')?.value ?? 10_000,
    maxTotal: fields.integer('maxTotal')?.value ?? 100_000,
    isClamped: fields.word('invalid', ['clamp']) !== undefined,
    fields: fields.spans,
  };
}

/** Matches a column of an order: `created DESC, title`. */
const columnForm =
  /^\s*("(?:[^"]|"")+"|`(?:[^`]|``)+`|[\p{L}_][\p{L}\p{N}_$]*)(?:\s+(ASC|DESC))?(?:\s+NULLS\s+(FIRST|LAST))?\s*$/iu;

/** The columns that a string names, separated by commas. `example` is such a field. */
export function columnsIn(node: Node, what: string, example: string, { report }: Fields): OrderColumn[] {
  if (isBroken(node)) return [];
  const text = node.kind === 'scalar' && !isEmpty(node) ? node.text : undefined;
  const found = text && partsOf(text).map(({ start, end }) => columnAt(text, start, end));
  const columns = found?.filter((column) => column !== undefined) ?? [];
  if (columns.length < (found?.length ?? 1))
    report.add('wrong-kind', node.span, {
      what,
      expected: 'columns, each with ASC or DESC',
      example,
    });
  return columns;
}

/** The key columns use the direction of the preceding columns. */
function keyIn(node: Node, fields: Fields): OrderColumn[] {
  const columns = columnsIn(node, "'key'", 'key: id', fields);
  const directed = columns.find(({ isDescending, nulls }) => isDescending || nulls !== undefined);
  if (directed !== undefined)
    fields.report.add('wrong-kind', node.span, {
      what: "'key'",
      expected: 'columns without a direction: it has that of the columns before it',
      example: `key: ${columns.map(({ name }) => name).join(', ')}`,
    });
  return columns;
}

/** The ranges of the parts between unquoted commas. */
function partsOf({ value }: ScalarText): { readonly start: number; readonly end: number }[] {
  const parts: { start: number; end: number }[] = [];
  let start = 0;
  let quote = '';
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at] ?? '';
    if (quote === '' && character === ',') {
      parts.push({ start, end: at });
      start = at + 1;
    } else if (quote === '' && (character === '"' || character === '`')) quote = character;
    else if (character === quote) quote = '';
  }
  return [...parts, { start, end: value.length }];
}

function columnAt(text: ScalarText, start: number, end: number): OrderColumn | undefined {
  const written = text.value.slice(start, end);
  const [, column, direction, nulls] = columnForm.exec(written) ?? [];
  if (column === undefined) return undefined;
  const quote = /^["`]/.exec(column)?.[0];
  const at = start + written.indexOf(column);
  return {
    name: quote === undefined ? column : column.slice(1, -1).replaceAll(quote + quote, quote),
    isQuoted: quote !== undefined,
    isDescending: direction?.toUpperCase() === 'DESC',
    nulls: nulls === undefined ? undefined : nulls.toUpperCase() === 'FIRST' ? 'first' : 'last',
    span: text.spanOf(at, at + column.length),
  };
}
