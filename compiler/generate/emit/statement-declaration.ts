/** The declaration of a SQL statement at the top of its operation's module. */
import type { AskedPlan, ListPlan } from '../plan/results/list-plan.js';
import { mayBeJson } from './bindings.js';
import type { StatementPlan } from '../plan/operation-plan.js';
import type { SqlPart } from '../plan/model.js';
import type { RowType } from './module/emitted-expression.js';
import { lineComment } from '../../notation/typescript-writer.js';
import { jsonLiteral, propertyKey, stringLiteral, templateText } from '../../notation/typescript-writer.js';
import type { Module } from './module/module.js';

/** The declaration of its constant. */
export function emitStatement(
  statement: StatementPlan,
  row: RowType | undefined,
  module: Module,
  isReadAtOnce = false,
): string {
  const { sql, each } = statement;
  module.import('src/datasources', statement.datasource);
  const fields = [
    'operation,',
    `fulfillment: ${stringLiteral(statement.fulfillment)},`,
    `sql: ${emitSql(statement, module)},`,
    ...(isReadAtOnce && each !== undefined ? emitEach(statement, each, module) : []),
    ...(sql.added === undefined ? [] : [`returning: ${stringLiteral(sql.added.clause)},`]),
    ...emitColumnNames(row),
    ...emitTruths(statement),
    ...emitSources(statement),
    ...emitParameterTypes(statement),
    ...(statement.use === 'READ' && !sql.retry ? ['retry: false,'] : []),
    ...(sql.atomic ? [] : ['atomic: false,']),
    ...(sql.runsUnknownCode ? ['runsUnknownCode: true,'] : []),
    ...(sql.changesSession ? ['changesSession: true,'] : []),
    ...(statement.isEnclosed ? ['enclosed: true,'] : []),
    ...(statement.list === undefined ? [] : emitList(statement.list)),
  ];
  const type = row === undefined ? '' : `<${row.name}>`;
  const method = statement.use === 'READ' ? 'read' : 'update';
  // A short one is written on one line.
  const isShort = fields.length <= 3 && fields.every((field) => !field.includes('\n'));
  const written = isShort ? `{ ${fields.join(' ')} }` : `{\n${fields.join('\n')}\n}`;
  if (statement.list !== undefined)
    return `${module.runtime('listOf')}${type}(${statement.datasource}, ${written})`;
  if (isReadAtOnce) {
    const each = module.runtime(sql.dialect === 'mysql' ? 'eachInUnion' : 'eachOf');
    return `${each}${type}(${statement.datasource}, ${written})`;
  }
  return `${statement.datasource}.${method}${type}(${written})`;
}

/** The orders, and how many rows a page has. */
function emitList({ orders, default: usual, max, asked }: ListPlan): string[] {
  const source = (field: AskedPlan['field']): string[] => {
    const found = asked.find((one) => one.field === field)?.source;
    return found === undefined ? [] : [`${field}: ${stringLiteral(found)},`];
  };
  const allow = orders.map(({ name, columns }) => `${propertyKey(name)}: ${jsonLiteral(columns)},`);
  return [
    `order: {\n${[...source('by'), `allow: {\n${allow.join('\n')}\n},`, `default: ${stringLiteral(usual)},`].join('\n')}\n},`,
    ...(max === undefined
      ? []
      : [`page: { ${[...source('limit'), `max: ${max},`, ...source('after')].join(' ')} },`]),
  ];
}

/** How the handler spells the columns, where the server's tables and views decide it. */
function emitColumnNames(row: RowType | undefined): string[] {
  if (row?.isSpelledByServer !== true) return [];
  return [`columnNames: [${[...row.columns.keys()].map(stringLiteral).join(', ')}],`];
}

/** Empty if the server has values of its own for true and false. */
function emitTruths({ sql: { dialect, truths } }: StatementPlan): string[] {
  return dialect === 'mysql' && truths.length > 0
    ? [`truths: [${truths.map(stringLiteral).join(', ')}],`]
    : [];
}

/** Empty if no value is from the request. */
function emitSources(statement: StatementPlan): string[] {
  const { sources } = statement;
  const names = emitByIndex(sources.map((source) => source?.name));
  const callers = sources.flatMap((source, index) => (source?.isOfCaller === true ? [index] : []));
  const parameters = emitByIndex(
    sources.map((source, index) => (mayBeJson(statement, index) ? source?.parameter : undefined)),
  );
  return [
    ...(names === undefined ? [] : [`valueNames: ${names},`]),
    ...(parameters === undefined ? [] : [`parameters: ${parameters},`]),
    ...(callers.length === 0 ? [] : [`callerValues: [${callers.join(', ')}],`]),
  ];
}

/** `['a', 'b']`, or `{ 1: 'b' }` where some are missing; undefined where all are. */
function emitByIndex(texts: readonly (string | undefined)[]): string | undefined {
  const known = texts.flatMap((text, index) =>
    text === undefined ? [] : [{ index, text: stringLiteral(text) }],
  );
  if (known.length === 0) return undefined;
  if (known.length === texts.length) return `[${known.map(({ text }) => text).join(', ')}]`;
  return `{ ${known.map(({ index, text }) => `${index}: ${text}`).join(', ')} }`;
}

/** A query that is never used needs a name. */
function emitParameterTypes({ written, compared }: StatementPlan): string[] {
  const fields = [
    ['parameterTypes', written],
    ['comparedTypes', compared],
  ].flatMap(([name = '', text]) => (text === undefined ? [] : [`${name}: ${stringLiteral(text)},`]));
  if (fields.length === 0) return [];
  return [lineComment('prepared, never run: its columns have the types of the values'), ...fields];
}

/** The text for several elements at once. */
function emitEach({ sql }: StatementPlan, each: string, module: Module): string[] {
  const how = sql.dialect === 'mysql' ? ', as parts of a UNION ALL' : '';
  return [
    lineComment(`for several elements at once${how}: the same rows, each with the position of its element`),
    `each: ${emitFixed(each, module)},`,
  ];
}

/** A string if the SQL is one line without lists, else a template from which the runtime removes the indentation. */
function emitSql({ text: fixed, parts }: StatementPlan, module: Module): string {
  if (fixed !== undefined) return emitFixed(fixed, module);
  return emitTemplate(parts.map((part) => emitPart(part, module)).join(''), module);
}

function emitFixed(text: string, module: Module): string {
  return text.includes('\n') ? emitTemplate(templateText(text), module) : stringLiteral(text);
}

function emitTemplate(body: string, module: Module): string {
  return `${module.runtime('sql')}\`${body.includes('\n') ? `\n${indent(body)}\n  ` : body}\``;
}

function indent(text: string): string {
  return text.replaceAll(/^(?=[^\n])/gm, '    ');
}

function emitPart(part: SqlPart, module: Module): string {
  switch (part.kind) {
    case 'text':
      return templateText(part.text);
    case 'value':
      return `\${${module.runtime('value')}}`;
    case 'same':
      // Beside lists placeholders are never one parameter.
      throw new Error('A marker that is written twice in a text of varying markers.');
    case 'in-list':
      return `\${${module.runtime(part.negated ? 'notInList' : 'inList')}(${part.count})}`;
    case 'elements':
      return `\${${module.runtime('more')}.${part.comma}}`;
  }
}
