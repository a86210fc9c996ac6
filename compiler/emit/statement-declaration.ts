/** The declaration of a SQL statement at the top of its operation's module. */
import type { StatementPlan } from '../plan/steps.js';
import type { SqlPart } from '../plan/model.js';
import type { RowType } from './code.js';
import { stringLiteral, templateText } from './literal.js';
import type { Module } from './module.js';

/** What its constant is. */
export function emitStatement(statement: StatementPlan, row: RowType | undefined, module: Module): string {
  const { sql } = statement;
  module.import('src/datasources', statement.datasource);
  const fields = [
    'operation,',
    `fulfillment: ${stringLiteral(statement.fulfillment)},`,
    `sql: ${emitSql(statement, module)},`,
    ...(sql.added === undefined ? [] : [`returning: ${stringLiteral(sql.added.clause)},`]),
    ...(sql.columns === undefined ? [] : [`columns: ${stringLiteral(sql.columns)},`]),
    ...emitSources(statement),
    ...(statement.use === 'READ' && !sql.retry ? ['retry: false,'] : []),
  ];
  const type = row === undefined ? '' : `<${row.name}>`;
  const method = statement.use === 'READ' ? 'read' : 'update';
  return `${statement.datasource}.${method}${type}({\n${fields.join('\n')}\n})`;
}

/** Nothing where no value comes from the request. */
function emitSources({ sources }: StatementPlan): string[] {
  if (sources.every((source) => source === undefined)) return [];
  const texts = sources.map((source) => (source === undefined ? 'null' : stringLiteral(source)));
  return [`sources: [${texts.join(', ')}],`];
}

/** A string where the text is one line without lists, else a template that the runtime takes the indentation from. */
function emitSql({ text: fixed, parts }: StatementPlan, module: Module): string {
  if (fixed !== undefined && !fixed.includes('\n')) return stringLiteral(fixed);
  const body =
    fixed === undefined ? parts.map((part) => emitPart(part, module)).join('') : templateText(fixed);
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
