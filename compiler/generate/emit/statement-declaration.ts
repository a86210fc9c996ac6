/** The declaration of a SQL statement at the top of its operation's module. */
import {
  call,
  comment,
  field,
  fieldOf,
  generic,
  json,
  literal,
  member,
  name,
  object,
  strings,
  tallObject,
  template,
  type Code,
  type Comment,
  type Field,
} from '../code/code.js';
import type { AskedPlan, FilterPlan, ListPlan, NumberedPlan } from '../plan/results/list-plan.js';
import { mayBeJson } from './bindings.js';
import type { StatementPlan } from '../plan/operation-plan.js';
import type { SqlPart } from '../plan/model.js';
import type { RowType } from './module/emitted-expression.js';
import type { Module } from './module/module.js';

/** The initializer of the statement constant. */
export function emitStatement(
  statement: StatementPlan,
  row: RowType | undefined,
  module: Module,
  isReadAtOnce = false,
): Code {
  const { sql, each, list } = statement;
  const datasource = module.import('src/datasources', statement.datasource);
  const fields = [
    field('operation', name('operation')),
    field('fulfillment', literal(statement.fulfillment)),
    field('sql', emitSql(statement, module)),
    ...(isReadAtOnce && each !== undefined ? emitEach(statement, each, module) : []),
    ...fieldOf('returning', sql.added && literal(sql.added.clause)),
    ...emitColumnNames(row),
    ...emitTruths(statement),
    ...emitSources(statement),
    ...emitParameterTypes(statement),
    ...(statement.use === 'READ' && !sql.retry ? [field('retry', literal(false))] : []),
    ...(sql.atomic ? [] : [field('atomic', literal(false))]),
    ...(sql.runsUnknownCode ? [field('runsUnknownCode', literal(true))] : []),
    ...(sql.changesSession ? [field('changesSession', literal(true))] : []),
    ...(statement.isEnclosed ? [field('enclosed', literal(true))] : []),
    ...(list === undefined ? [] : emitList(list)),
  ];
  const types = row === undefined ? [] : [name(row.name)];
  // Short declarations fit on one line.
  const isShort = fields.length <= 3 && !isOnLines(statement);
  const written = isShort ? object(fields) : tallObject(fields);
  if (list !== undefined) return call(generic(module.runtime('listOf'), ...types), datasource, written);
  if (isReadAtOnce) {
    const ofEach = module.runtime(sql.dialect === 'mysql' ? 'eachInUnion' : 'eachOf');
    return call(generic(ofEach, ...types), datasource, written);
  }
  const method = member(datasource, statement.use === 'READ' ? 'read' : 'update');
  return call(generic(method, ...types), written);
}

/** The possible orders, and the number of rows per page. */
function emitList({ orders, default: usual, max, numbered, asked, filter }: ListPlan): Field[] {
  const sourceOf = (one: AskedPlan['field']): string | undefined =>
    asked.find((other) => other.field === one)?.source;
  const source = (one: AskedPlan['field']): readonly Field[] => {
    const found = sourceOf(one);
    return fieldOf(one, found === undefined ? undefined : literal(found));
  };
  const allow = tallObject(orders.map((order) => field(order.name, json(order.columns))));
  const order = [...source('by'), field('allow', allow), field('default', literal(usual))];
  const page = [...source('limit'), ...fieldOf('max', max === undefined ? undefined : literal(max))];
  return [
    field('order', tallObject(order)),
    ...(filter === undefined ? [] : [field('filter', emitFilter(filter, sourceOf('filter')))]),
    ...(max === undefined
      ? []
      : [
          field(
            'page',
            object([
              ...page,
              ...source('after'),
              ...source('number'),
              ...source('offset'),
              ...emitNumbered(numbered),
            ]),
          ),
        ]),
  ];
}

function emitNumbered(plan: NumberedPlan | undefined): Field[] {
  if (plan === undefined) return [];
  const { maxOffset, maxTotal, links } = plan;
  return [
    ...fieldOf('maxOffset', maxOffset === undefined ? undefined : literal(maxOffset)),
    ...(plan.isClamped ? [field('clamp', literal(true))] : []),
    ...(plan.isPreviousRead ? [field('previous', literal(true))] : []),
    ...fieldOf('total', maxTotal === undefined ? undefined : literal(maxTotal)),
    ...fieldOf('links', links && strings(links)),
  ];
}

/** The conditions that requests can choose. `source` is the location of the filter in the request. */
function emitFilter({ allow, others, function: name }: FilterPlan, source: string | undefined): Code {
  return tallObject([
    ...fieldOf('from', source === undefined ? undefined : literal(source)),
    ...fieldOf('function', name === undefined ? undefined : literal(name)),
    field('allow', tallObject(allow.map(({ name: key, ...column }) => field(key, json(column))))),
    ...fieldOf('others', others.length === 0 ? undefined : strings(others)),
  ]);
}

/** The column names as the handler spells them, if their spelling depends on the server's tables and views. */
function emitColumnNames(row: RowType | undefined): readonly Field[] {
  return fieldOf(
    'columnNames',
    row?.isSpelledByServer === true ? strings([...row.columns.keys()]) : undefined,
  );
}

/** Empty if the server has its own values for true and false. */
function emitTruths({ sql: { dialect, truths } }: StatementPlan): readonly Field[] {
  return dialect === 'mysql' && truths.length > 0 ? [field('truths', strings(truths))] : [];
}

/** Empty if no value comes from the request. */
function emitSources(statement: StatementPlan): Field[] {
  const { sources } = statement;
  const callers = sources.flatMap((source, index) => (source?.isOfCaller === true ? [index] : []));
  const parameters = sources.map((source, index) =>
    mayBeJson(statement, index) ? source?.parameter : undefined,
  );
  return [
    ...fieldOf('valueNames', emitByIndex(sources.map((source) => source?.name))),
    ...fieldOf('parameters', emitByIndex(parameters)),
    ...fieldOf('callerValues', callers.length === 0 ? undefined : json(callers)),
  ];
}

/** `['a', 'b']`, or `{ 1: 'b' }` if some strings are missing; undefined if all are missing. */
function emitByIndex(texts: readonly (string | undefined)[]): Code | undefined {
  const known = texts.filter((text) => text !== undefined);
  if (known.length === 0) return undefined;
  if (known.length === texts.length) return strings(known);
  return object(texts.flatMap((text, index) => (text === undefined ? [] : [field(index, literal(text))])));
}

/** Statement fields with queries that are prepared for the types of their columns, but never run. */
function emitParameterTypes({ written, compared }: StatementPlan): (Field | Comment)[] {
  const fields = [
    ...fieldOf('parameterTypes', written === undefined ? undefined : literal(written)),
    ...fieldOf('comparedTypes', compared === undefined ? undefined : literal(compared)),
  ];
  if (fields.length === 0) return [];
  return [comment('prepared, never run: its columns have the types of the values'), ...fields];
}

/** The SQL that reads several elements in one query. */
function emitEach({ sql }: StatementPlan, each: string, module: Module): (Field | Comment)[] {
  const how = sql.dialect === 'mysql' ? ', as parts of a UNION ALL' : '';
  return [
    comment(`for several elements at once${how}: the same rows, each with the position of its element`),
    field('each', emitFixed(each, module)),
  ];
}

/** Whether the SQL spans several lines. */
function isOnLines({ text, parts }: StatementPlan): boolean {
  const texts = text === undefined ? parts.map((part) => (part.kind === 'text' ? part.text : '')) : [text];
  return texts.some((one) => one.includes('\n'));
}

/** A string if the SQL is a single line without lists, otherwise a template whose indentation the runtime removes. */
function emitSql({ text: fixed, parts }: StatementPlan, module: Module): Code {
  if (fixed !== undefined) return emitFixed(fixed, module);
  return emitTemplate(
    parts.map((part) => emitPart(part, module)),
    module,
  );
}

function emitFixed(text: string, module: Module): Code {
  return text.includes('\n') ? emitTemplate([text], module) : literal(text);
}

function emitTemplate(parts: readonly (string | Code)[], module: Module): Code {
  const isTall = parts.some((part) => typeof part === 'string' && part.includes('\n'));
  return template(isTall ? ['\n', ...indented(parts), '\n  '] : parts, module.runtime('sql'));
}

/** Indents non-empty lines by four spaces. */
function indented(parts: readonly (string | Code)[]): (string | Code)[] {
  let isAtStart = true;
  return parts.flatMap((part) => {
    if (part === '') return [];
    const start = isAtStart && !(typeof part === 'string' && part.startsWith('\n')) ? ['    '] : [];
    isAtStart = typeof part === 'string' && part.endsWith('\n');
    const lines = typeof part === 'string' ? part.replaceAll(/\n(?=[^\n])/g, '\n    ') : part;
    return [...start, lines];
  });
}

function emitPart(part: SqlPart, module: Module): string | Code {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'value':
      return module.runtime('value');
    case 'same':
      // In a statement with lists, placeholders are never merged.
      throw new Error('A marker that is written twice in a text of varying markers.');
    case 'in-list':
      return call(module.runtime(part.negated ? 'notInList' : 'inList'), literal(part.count));
    case 'elements':
      return member(module.runtime('more'), part.comma);
  }
}
