/** Reads fulfillments of both syntaxes, with their exceptions, loops and calls. */
import type { Report } from '../diagnostics/report.js';
import { nearest } from '../diagnostics/suggest.js';
import type { Expression, Syntax } from '../expression/ast.js';
import type { Notation } from '../expression/notation.js';
import { logicalOperators, parseExpression, parseTemplate } from '../expression/parse/parse.js';
import type { WithSpan } from '../source.js';
import type { Use } from '../sql/statement.js';
import { checkTemplate } from './check-template.js';
import { joinCutItems, warnOfCutText } from './yaml/cut-text.js';
import { Fields, type OwnFields } from './fields.js';
import type {
  CodeFulfillment,
  Datasource,
  DeferredFulfillment,
  Exception,
  Fulfillment,
  ReferenceFulfillment,
  Schema,
  Together,
} from './config-model.js';
import { entryOf, isBroken, type MapNode, type Node } from './yaml/node.js';
import type { DatasourceNames } from './read-datasource.js';
import { readDuration } from './read-duration.js';
import { readInstruction } from './read-instruction.js';
import { readFilter } from './read-filter.js';
import { readOrder, readPage } from './read-list.js';
import { readResult } from './read-functions.js';
import { readErrorSchema } from './read-response.js';
import { readTemplateHeader } from './read-header.js';
import { readSchema } from './read-schema-notation.js';
import { fieldTable, requiredIn } from './field-table.js';
import { fulfillmentFields } from './meant-fields.js';
import { neverHasBody } from './status.js';
import { syntaxOfFulfillment } from './syntax.js';

export interface FulfillmentContext {
  readonly notation: Notation;
  readonly datasources: DatasourceNames;
  readonly report: Report;
}

/** Reads a list of fulfillments and omits unreadable ones. */
export function readFulfillments(maps: readonly MapNode[], context: FulfillmentContext): Fulfillment[] {
  return maps.flatMap((map) => readFulfillment(map, context) ?? []);
}

/** Reads a fulfillment; undefined if both its name and its type are unknown. */
function readFulfillment(map: MapNode, operation: FulfillmentContext): Fulfillment | undefined {
  // If an operation mixes the syntaxes, each fulfillment is read in its own syntax.
  const { names } = operation.notation;
  const syntax = syntaxOfFulfillment(map, operation.notation.syntax) ?? operation.notation.syntax;
  const notation = { syntax, names };
  const context = { ...operation, notation };
  const { report } = context;
  if (syntax === 'B') refuseTypeOfA(map, report);
  const name = entryOf(map, 'name')?.value;
  const resource =
    name?.kind === 'scalar' && name.text.value !== '' ? `Fulfillment '${name.text.value}'` : 'A fulfillment';
  const own = ownFields(map, syntax);
  const fields = new Fields(resource, map, fieldTable.fulfillment, report, own);
  const type = fields.word('type', syntax === 'A' ? types : typesOfB)?.value;
  const kind = type ?? guessType(fields);
  fields.require(['name', 'type', ...(type === undefined ? [] : requiredFields(type, map, syntax))], {
    type: likelyType(fields, map),
    datasource: likelyDatasource(map, context),
  });
  const stringWithSpan = fields.stringWithSpan('name');
  const base = {
    name: stringWithSpan ?? { value: '', span: fields.headSpan },
    if: fields.expression('if', notation),
    exceptions: fields
      .maps('exceptions', 'an exception')
      .map((exception) =>
        readException(exception, kind === 'LOOP' ? undefined : stringWithSpan?.value, context),
      ),
    loopbreak: readConditions(fields.node('loopbreak'), 'loopbreak', context),
    index: fields.expression('index', notation),
    continues: fields.word('onFailure', ['continue'] as const) !== undefined,
    fields: fields.spans,
  };
  switch (kind) {
    case 'READ':
    case 'UPDATE':
      return { ...base, type: kind, ...readData(fields, type === kind ? kind : undefined, context) };
    case 'LOOP':
      fields.requireItems('fulfillments');
      return {
        ...base,
        type: 'LOOP',
        loop: fields.expression('loop', notation),
        fulfillments: readFulfillments(fields.maps('fulfillments', 'a fulfillment'), context),
        concurrency: fields.integer('concurrency')?.value ?? 1,
        together: readTogether(fields),
      };
    case 'reference':
      return { ...base, ...readReference(fields, context) };
    case 'CODE':
      return { ...base, type: 'CODE', ...readCode(fields, context) };
    case 'COMPUTE': {
      const schema = fields.node('schema');
      return {
        ...base,
        type: 'COMPUTE',
        schema: schema === undefined || isBroken(schema) ? undefined : readSchema(schema, notation, report),
      };
    }
  }
}

/** `together` of an operation or a LOOP. */
export function readTogether(fields: Fields): Together | undefined {
  const word = fields.word('together', ['true', 'false', 'effects'] as const)?.value;
  return word === 'false' ? undefined : word;
}

const dataTypes = ['READ', 'UPDATE'] as const;
const typesOfB = [...dataTypes, 'CODE', 'COMPUTE'] as const;
const types = [...dataTypes, 'LOOP', 'reference', 'CODE', 'COMPUTE'] as const;

/** Reports LOOP and reference in Syntax B; other errors in such a fulfillment are not reported. */
function refuseTypeOfA(map: MapNode, report: Report): void {
  const type = entryOf(map, 'type')?.value;
  const written = type?.kind === 'scalar' ? type.text.value : '';
  if (type === undefined || !/^(?:loop|reference)$/i.test(written)) return;
  report.add('type-of-syntax-a', type.span, { written });
  report.ignoreInside([map.span]);
}

/** The fields of the declared type; undefined if the type is invalid. */
function ownFields(map: MapNode, syntax: Syntax): OwnFields | undefined {
  const written = entryOf(map, 'type')?.value;
  const text = written?.kind === 'scalar' ? written.text.value.toLowerCase() : '';
  const [type, fields] =
    Object.entries(fulfillmentFields[syntax]).find(([name]) => name.toLowerCase() === text) ?? [];
  if (type === undefined || fields === undefined) return undefined;
  // Mixed syntaxes get only one diagnostic.
  return { type, fields, reported: syntax === 'A' ? ['queries', 'join'] : ['instructions'] };
}

/** The type assumed for a fulfillment without `type`, so that its content is checked. */
function guessType(fields: Fields): (typeof types)[number] {
  if (fields.has('loop') || fields.has('fulfillments')) return 'LOOP';
  if (fields.has('function')) return 'CODE';
  if (fields.has('schema')) return 'COMPUTE';
  return fields.has('operationName') ? 'reference' : 'UPDATE';
}

/** The type to suggest for a fulfillment without `type`: that of its first statement or request. */
function likelyType(fields: Fields, { span: { source, start, end } }: MapNode): string {
  const guess = guessType(fields);
  if (guess !== 'UPDATE') return guess;
  const written = source.text.slice(start, end);
  const changes = /\b(?:query|sql):\s*(?:[|>][+-]?\s*)?['"]?(?:INSERT|UPDATE|DELETE|REPLACE|MERGE)\b/i;
  return changes.test(written) || /\bhttpType:\s*(?:POST|PUT|PATCH|DELETE)\b/i.test(written)
    ? 'UPDATE'
    : 'READ';
}

/** The name of an existing datasource of a suitable type, as an example. */
function likelyDatasource({ span }: MapNode, { datasources }: FulfillmentContext): string | undefined {
  const { source, start, end } = span;
  const type = /\brequest:/.test(source.text.slice(start, end)) ? 'rest' : 'db';
  return [...datasources.read].find(([name, one]) => name !== '' && one.type === type)?.[0];
}

function requiredFields(type: (typeof types)[number], map: MapNode, syntax: Syntax): readonly string[] {
  if (type === 'LOOP') return ['loop', 'fulfillments'];
  if (type === 'reference') return ['operationName'];
  if (type === 'CODE') return ['function'];
  if (type === 'COMPUTE') return ['schema'];
  // An action outside the list has been reported as an unknown field.
  const isMisplaced = ['query', 'sql', 'request', 'message'].some(
    (field) => entryOf(map, field) !== undefined,
  );
  // A list of the other syntax has also been reported.
  const hasList = ['instructions', 'queries'].some((field) => entryOf(map, field) !== undefined);
  return ['datasource', ...(isMisplaced || hasList ? [] : [syntax === 'A' ? 'instructions' : 'queries'])];
}

function readData(
  fields: Fields,
  use: Use | undefined,
  { notation, datasources, report }: FulfillmentContext,
): Pick<
  Extract<Fulfillment, { type: 'READ' | 'UPDATE' }>,
  'datasource' | 'instructions' | 'join' | 'order' | 'page' | 'filter'
> {
  const { syntax } = notation;
  const [own, other] =
    syntax === 'A' ? (['instructions', 'queries'] as const) : (['queries', 'instructions'] as const);
  // If only the list of the other syntax exists (already reported), read that list.
  const list = !fields.has(own) && fields.has(other) ? other : own;
  const name = fields.stringWithSpan('datasource');
  const datasource = name && findDatasource(name, datasources);
  const maps = fields.maps(list, syntax === 'A' ? 'an instruction' : 'a query', actionFields);
  fields.requireItems(list);
  return {
    datasource: name ?? { value: '', span: fields.headSpan },
    instructions: maps.map((map) =>
      readInstruction(map, {
        ...{ notation, use, datasource, report },
        type: maps.length === 1 ? fields.node('type')?.span : undefined,
      }),
    ),
    join: readJoins(fields, { notation, datasources, report }),
    order: readOrder(fields, notation),
    page: readPage(fields, notation),
    filter: readFilter(fields, notation),
  };
}

const actionFields = ['query', 'sql', 'request', 'message', 'if'];

/** The datasource with that name, or else the one with the most similar name, so that SQL is checked. */
function findDatasource(
  { value: name, span }: WithSpan<string>,
  { read, written, isComplete, uses }: DatasourceNames,
): Datasource | undefined {
  const others = uses.get(name);
  if (others === undefined) uses.set(name, [span]);
  else others.push(span);
  if (!isComplete || written.has(name)) return read.get(name);
  return read.get(nearest(name, written) ?? '');
}

function readJoins(fields: Fields, context: FulfillmentContext): CodeFulfillment['join'] {
  const conditions = readConditions(fields.node('join'), 'join', context);
  return conditions.map((value) => ({ value, span: value.span }));
}

/** Reads one condition or a list of conditions. */
function readConditions(
  node: Node | undefined,
  field: string,
  { notation, report }: FulfillmentContext,
): Expression[] {
  const items = node === undefined ? [] : node.kind === 'list' ? joinCutItems(node.items, report) : [node];
  return items.flatMap((item) => {
    if (isBroken(item)) return [];
    if (item.kind === 'scalar') {
      // Several joins written as one are a single error: ignore the operators between them.
      if (field === 'join') report.ignoreInside(logicalOperators(item.text, notation));
      return parseExpression(item.text, notation, report) ?? [];
    }
    report.add('wrong-kind', item.span, {
      what: `'${field}'`,
      expected: 'a condition, or a list of conditions',
      example:
        field === 'join'
          ? `join: ${joinIn(item) ?? 'news.id == comments.news_id'}`
          : `${field}: ${notation.syntax === 'A' ? 'VALUE(news, $.title) == NULL()' : 'news.title == null'}`,
    });
    return [];
  });
}

/** The join written as `{ left: a.x, right: b.y }` or `{ on: a.x == b.y }`. */
function joinIn(node: Node): string | undefined {
  const values = node.kind === 'map' ? node.entries.map(({ value }) => value) : [];
  const texts = values.flatMap((value) => (value.kind === 'scalar' ? [value.text.value] : []));
  if (texts.length !== values.length || texts.length === 0 || texts.length > 2) return undefined;
  return texts.length === 2 ? `${texts[0] ?? ''} == ${texts[1] ?? ''}` : texts[0];
}

/** A condition that tests for an empty result; undefined if the name needs quotes. */
function emptyTest(name: string, syntax: Syntax): string | undefined {
  if (!/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name)) return syntax === 'B' ? 'news == null' : undefined;
  return syntax === 'B' ? `${name} == null` : `SIZE(VALUE(${name}, $)) == INTEGER(0)`;
}

/** `tested` is the fulfillment whose result is most likely tested; undefined if no fulfillment precedes. */
export function readException(
  map: MapNode,
  tested: string | undefined,
  { notation, report }: Pick<FulfillmentContext, 'notation' | 'report'>,
): Exception {
  const fields = new Fields('An exception', map, fieldTable.exception, report);
  const isOfConstraint = fields.has('constraint');
  fields.require([...(isOfConstraint ? [] : ['if']), ...requiredIn(fieldTable.exception)], {
    if: emptyTest(tested ?? '', notation.syntax),
  });
  const both = isOfConstraint ? fields.spans.get('if') : undefined;
  if (both !== undefined) report.add('condition-and-constraint', both);
  warnOfCutText(fields.node('message'), false, report);
  const message = fields.text('message');
  if (message !== undefined) checkTemplate(message, 'message', notation, report);
  const statuscode = fields.integer('statuscode');
  if (statuscode !== undefined && neverHasBody(statuscode.value))
    report.add('message-without-body', statuscode.span, { status: statuscode.value });
  const schema = fields.node('schema');
  return {
    if: fields.expression('if', notation),
    constraint: fields.stringWithSpan('constraint'),
    header: readTemplateHeader(fields, notation, report),
    code: fields.text('code'),
    schema: schema && readErrorSchema(schema, notation, report),
    statuscode: statuscode?.value ?? 500,
    message: message === undefined ? [] : parseTemplate(message, notation, report),
    span: fields.headSpan,
    statusSpan: statuscode?.span ?? fields.headSpan,
  };
}

/** A call, or a call after the commit. */
function readReference(
  fields: Fields,
  { notation, report }: FulfillmentContext,
):
  | Pick<ReferenceFulfillment, 'type' | 'operationName' | 'parameters'>
  | Pick<DeferredFulfillment, 'type' | 'operationName' | 'parameters' | 'outbox' | 'times' | 'within'> {
  const called = {
    operationName: fields.stringWithSpan('operationName') ?? { value: '', span: fields.headSpan },
    parameters: readParameters(fields.mapping('parameters'), notation, report),
  };
  const deliver = fields.word('deliver', ['afterCommit'] as const);
  const outbox = fields.stringWithSpan('outbox');
  const times = fields.integer('times')?.value;
  const within = readDuration(fields, 'within', { longest: longestDelivery, example: '1h' });
  return deliver === undefined
    ? { type: 'REFERENCE', ...called }
    : { type: 'DEFERRED', ...called, outbox, times, within };
}

/** Seconds after which a stored call has failed in any case. */
const longestDelivery = 3 * 86_400;

function readParameters(
  map: MapNode | undefined,
  notation: Notation,
  report: Report,
): { name: WithSpan<string>; value: Schema }[] {
  return (map?.entries ?? []).flatMap(({ key, value }) => {
    const schema = readSchema(value, notation, report);
    if (key.text.value.trim() === '') report.add('empty-name', key.span, { resource: 'Parameter' });
    return schema === undefined ? [] : [{ name: { value: key.text.value, span: key.span }, value: schema }];
  });
}

function readCode(
  fields: Fields,
  context: FulfillmentContext,
): Pick<CodeFulfillment, 'function' | 'input' | 'join' | 'returns'> {
  const { notation, report } = context;
  const input = fields.node('input');
  return {
    function: fields.stringWithSpan('function') ?? { value: '', span: fields.headSpan },
    input: input === undefined || isBroken(input) ? undefined : readSchema(input, notation, report),
    join: readJoins(fields, context),
    returns: readResult(fields, report),
  };
}
