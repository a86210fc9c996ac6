/** Reads instructions (Syntax A) and queries (Syntax B): the first one whose condition is true is executed. */
import type { Report } from '../diagnostics/report.js';
import type { Expression, Template } from '../expression/ast.js';
import type { Notation } from '../expression/notation.js';
import { parseExpression, parseTemplate } from '../expression/parse/parse.js';
import type { Span, ScalarText, WithSpan } from '../source.js';
import { expressionsIn, readSql, type Form, type Use } from '../sql/statement.js';
import { checkTemplate } from './check-template.js';
import { Fields } from './fields.js';
import type { Datasource, Instruction, Message, Request } from './config-model.js';
import { isBroken, isEmpty, type MapNode } from './yaml/node.js';
import { warnOfCutText } from './yaml/cut-text.js';
import { readRequestSignature } from './rest/read-identity.js';
import { readPages } from './rest/read-pages.js';
import { readTemplateHeader } from './read-header.js';
import { readRetry } from './read-datasource.js';
import { readLeaf, readSchema } from './read-schema-notation.js';
import { fieldTable } from './field-table.js';

/** Facts about the fulfillment that affect how its instructions are read. */
export interface InstructionContext {
  readonly notation: Notation;
  /** The type of the fulfillment; undefined after a reported error. */
  readonly use: Use | undefined;
  /** The span of the fulfillment's type, if this is the only instruction. */
  readonly type?: Span | undefined;
  /** The datasource; undefined if it does not exist, which has been reported. */
  readonly datasource: Datasource | undefined;
  readonly report: Report;
}

export function readInstruction(map: MapNode, context: InstructionContext): Instruction {
  const { notation, report } = context;
  const { syntax } = notation;
  const resource = syntax === 'A' ? 'An instruction' : 'A query';
  const fields = new Fields(resource, map, fieldTable[syntax === 'A' ? 'instruction' : 'query'], report);
  const condition = fields.expression('if', notation);
  const actions = ['query', 'sql', 'request', 'message'].filter((field) => fields.has(field));
  const [first, second] = actions;
  if (first === undefined) {
    // An unknown field may be a misspelling of the missing one.
    if (!fields.hasStrangeField)
      report.add('missing-action', fields.headSpan, {
        resource,
        fields: syntax === 'A' ? "'query', 'sql', 'request' or 'message'" : "'query'",
      });
  } else if (second !== undefined) {
    report.add('several-actions', fields.spans.get(second) ?? map.span, {
      ...{ first, second },
      firstSpan: fields.spans.get(first),
    });
  } else if (isForDatasource(first, fields, context)) {
    return { if: condition, ...readAction(first, fields, context), span: map.span };
  }
  return { if: condition, ...nothing, span: map.span };
}

/** Whether the action suits the datasource: SQL for a database, requests for a third-party API. */
function isForDatasource(
  field: string,
  fields: Fields,
  { datasource, notation: { syntax }, report }: InstructionContext,
): boolean {
  const wanted = field === 'request' ? 'rest' : field === 'message' ? 'smtp' : 'db';
  if (datasource?.type === undefined || datasource.type === wanted) return true;
  report.add('wrong-action', fields.spans.get(field) ?? fields.map.span, {
    field,
    datasource: datasource.name.value,
    type: datasource.type,
    syntax,
  });
  return false;
}

/** The action, and the expressions in it, which are checked even if the action as a whole is invalid. */
type ParsedAction = Pick<Instruction, 'action' | 'sql' | 'expressions'>;

const nothing: ParsedAction = { action: undefined, sql: undefined, expressions: [] };

function readAction(field: string, fields: Fields, context: InstructionContext): ParsedAction {
  if (field === 'query') {
    warnOfCutText(fields.node('query'), true, context.report);
    return readStatement(fields.text('query'), { kind: 'query', ...context.notation }, context);
  }
  const map = fields.mapping(field);
  if (map === undefined) return nothing;
  if (field === 'sql') return readSqlForm(map, context);
  const action = field === 'message' ? readMessage(map, fields, context) : readRequest(map, context);
  return { ...nothing, action };
}

function readStatement(text: ScalarText | undefined, form: Form, context: InstructionContext): ParsedAction {
  if (text === undefined) return nothing;
  const { datasource, use, type, report } = context;
  const dialect = datasource?.dialect;
  // Without a dialect, only the placeholders of the SQL are read.
  if (dialect === undefined) return { ...nothing, expressions: expressionsIn(text, form, use) };
  const sql = readSql(text, dialect, form, use, report, type);
  return { ...nothing, sql, expressions: sql.expressions };
}

/** Reads `sql`: a string with `?` markers and the list of its parameters. */
function readSqlForm(map: MapNode, context: InstructionContext): ParsedAction {
  const { notation, report } = context;
  const fields = new Fields("'sql'", map, fieldTable.sql, report);
  fields.require();
  const parameters = fields.maps('parameters', 'a map `param: <expression>`', ['param']).map((item) => {
    const parameter = new Fields('A parameter', item, fieldTable.parameter, report);
    parameter.require();
    const param = parameter.node('param');
    return param?.kind === 'scalar' && !isEmpty(param)
      ? readLeaf(param, notation, report)
      : parameter.expression('param', notation);
  });
  warnOfCutText(fields.node('query'), true, report);
  const list = fields.node('parameters');
  // If the list is unreadable, its length is unknown.
  if (list !== undefined && list.kind !== 'list' && parameters.length === 0) return nothing;
  // Unreadable parameters have been reported.
  if (list?.kind === 'list' && list.items.length !== parameters.length) return nothing;
  return readStatement(fields.text('query'), { kind: 'sql', parameters }, context);
}

function readRequest(map: MapNode, { notation, report }: InstructionContext): Request | undefined {
  const fields = new Fields("'request'", map, fieldTable.request, report);
  fields.require();
  warnOfCutText(fields.node('url'), false, report);
  const url = fields.text('url');
  const httpType = fields.word('httpType', ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'] as const);
  const body = fields.mapping('body');
  const multipart = fields.mapping('multipart')?.entries ?? [];
  const header = readTemplateHeader(fields, notation, report);
  if (url !== undefined) checkTemplate(url, 'url', notation, report);
  const response = fields.word('response', ['json', 'text'] as const)?.value;
  const retry = readRetry(fields);
  const pages = readPages(fields);
  const signature = readRequestSignature(fields, notation);
  const idempotencyKey = fields.expression('idempotencyKey', notation);
  const deliver = fields.word('deliver', ['afterCommit'] as const);
  const key = fields.expression('key', notation);
  if (httpType === undefined) return undefined;
  return {
    kind: 'request',
    url: url && { value: parseTemplate(url, notation, report), span: url.span },
    httpType,
    header: [
      ...header,
      ...(idempotencyKey === undefined
        ? []
        : [{ name: keyName(fields), value: [idempotencyKey], valueSpan: idempotencyKey.span }]),
    ],
    ...readBody(body, notation, report),
    multipart: multipart.flatMap(({ key, value }) => {
      const expression = value.kind === 'scalar' ? parseExpression(value.text, notation, report) : undefined;
      if (value.kind !== 'scalar')
        report.add('wrong-kind', value.span, {
          what: `The part '${key.text.value}'`,
          expected: 'an expression',
          example: `${key.text.value}: ${notation.syntax === 'A' ? 'PARAM(id)' : 'param.id'}`,
        });
      return expression ? [{ name: { value: key.text.value, span: key.span }, value: expression }] : [];
    }),
    response,
    retry,
    pages,
    signature,
    isDelivered: deliver !== undefined,
    key,
    fields: fields.spans,
  };
}

/** `instruction` has the fields next to `message`. */
function readMessage(map: MapNode, instruction: Fields, { notation, report }: InstructionContext): Message {
  const fields = new Fields("'message'", map, fieldTable.message, report);
  fields.require();
  const text = (field: 'text' | 'html'): Template | undefined => {
    warnOfCutText(fields.node(field), false, report);
    const written = fields.text(field);
    if (written === undefined) return undefined;
    checkTemplate(written, field, notation, report);
    return parseTemplate(written, notation, report);
  };
  const deliver = instruction.spans.get('deliver');
  return {
    kind: 'message',
    to: readAddresses('to', fields, notation),
    cc: readAddresses('cc', fields, notation),
    replyTo: readAddresses('replyTo', fields, notation),
    subject: fields.expression('subject', notation),
    text: text('text'),
    html: text('html'),
    isDelivered: instruction.word('deliver', ['afterCommit'] as const) !== undefined,
    span: map.span,
    fields: deliver === undefined ? fields.spans : new Map([...fields.spans, ['deliver', deliver]]),
  };
}

/** An expression, or a list of expressions. */
function readAddresses(field: string, fields: Fields, notation: Notation): readonly Expression[] {
  const node = fields.node(field);
  const items = node?.kind === 'list' ? node.items : node === undefined ? [] : [node];
  return items.flatMap((item) => {
    if (item.kind === 'scalar' && !isEmpty(item)) {
      const expression = parseExpression(item.text, notation, fields.report);
      return expression === undefined ? [] : [expression];
    }
    if (!isBroken(item))
      fields.report.add('wrong-kind', isEmpty(item) ? (fields.spans.get(field) ?? item.span) : item.span, {
        what: `'${field}'`,
        expected: 'an expression, or a list of them',
        example: `${field}: BODY($.email)`,
      });
    return [];
  });
}

/** The header name for `idempotencyKey`. */
function keyName({ spans, headSpan }: Fields): WithSpan<string> {
  return { value: 'Idempotency-Key', span: spans.get('idempotencyKey') ?? headSpan };
}

function readBody(
  map: MapNode | undefined,
  notation: Notation,
  report: Report,
): Pick<Request, 'body' | 'bodyType'> {
  if (map === undefined) return { body: undefined, bodyType: undefined };
  const fields = new Fields("'body'", map, fieldTable.body, report);
  fields.require();
  const type = fields.word('contentType', ['json', 'form'] as const);
  const schema = fields.node('schema');
  return { body: schema && readSchema(schema, notation, report), bodyType: type?.value };
}
