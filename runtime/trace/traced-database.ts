/** A database datasource that records its statements in traces. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import type { EndOfRows, StatementDefinition } from '../sql/statement-definition.js';
import type { Statement } from '../sql/statement.js';
import type { DatabaseDatasource } from '../sql/datasource.js';
import { renderSql, withReturning, type PassedValue } from '../sql/sql-template.js';
import { currentScope, failureText, since } from './recording.js';
import type { StatementStep } from './steps.js';

/** Wraps a datasource to record its statements. */
export function tracedDatabase<Datasource extends DatabaseDatasource>(datasource: Datasource): Datasource {
  const read = datasource.read.bind(datasource);
  const update = datasource.update.bind(datasource);
  const { name, kind } = datasource;
  const traced = (
    { fulfillment, sql, returning }: StatementDefinition,
    statement: Statement,
    isUpdate: boolean,
  ): Statement => {
    const run = async (call: Call, values: readonly PassedValue[] = []): Promise<Row[]> => {
      const scope = currentScope();
      if (scope === undefined) return statement(call, values);
      const { text } = renderSql(withReturning(sql, returning), values, kind);
      const step: StatementStep = { kind: 'statement', fulfillment, datasource: name, sql: text };
      const rows = await scope.timed(step, () => statement(call, values));
      const affected = isUpdate && kind !== 'postgresql' ? rows[0]?.affected_rows : undefined;
      if (typeof affected === 'number') step.affected = affected;
      // PostgreSQL does not return rows for `DELETE FROM news`, regardless of how many are deleted: 0 would be wrong.
      else if (rows.length > 0 || !isUpdate || returnsRows(text)) step.rows = rows.length;
      return rows;
    };
    const traceRows = (values: readonly PassedValue[]): EndOfRows | undefined => {
      const scope = currentScope();
      if (scope === undefined) return undefined;
      const { text } = renderSql(sql, values, kind);
      const start = performance.now();
      const step: StatementStep = {
        kind: 'statement',
        fulfillment,
        datasource: name,
        sql: text,
        isStreamed: true,
      };
      scope.add(step);
      return (rows, error) => {
        step.rows = rows;
        step.milliseconds = since(start);
        if (error !== undefined) step.failure = failureText(error);
      };
    };
    // In services with traces, handlers do not send reads ahead, because these would not be recorded.
    return Object.assign(run, { runner: statement.runner, traceRows });
  };
  return Object.assign(datasource, {
    read: (definition: StatementDefinition) => traced(definition, read(definition), false),
    update: (definition: StatementDefinition) => traced(definition, update(definition), true),
  });
}

/** Whether the statement itself returns rows. A RETURNING inside WITH does not count. */
export function returnsRows(sql: string): boolean {
  const plain = sql.replaceAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[^]*?\*\//g, '');
  let depth = 0;
  let verb: string | undefined;
  for (const [text] of plain.matchAll(/[()]|\b(?:insert|update|delete|merge|select|values|returning)\b/gi)) {
    if (text === '(') depth += 1;
    else if (text === ')') depth -= 1;
    else if (depth === 0 && /^returning$/i.test(text)) return true;
    else if (depth === 0) verb ??= text.toLowerCase();
  }
  return verb === 'select' || verb === 'values';
}
