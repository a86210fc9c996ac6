/** Reads an SQL string of a fixture, and prints the result: see fixtures/sql. */
import { Analysis } from '../../compiler/analyze/operations/analysis.js';
import { sqlGroupDiffers } from '../../compiler/analyze/check/rules/sql/groups.js';
import { sqlNeedsCast } from '../../compiler/analyze/check/rules/sql/statements.js';
import { findingsIn } from '../../compiler/analyze/check/sql/sql-rules.js';
import { sqlOutsideTransaction } from '../../compiler/analyze/check/rules/transactions.js';
import type { Rule } from '../../compiler/analyze/check/rule.js';
import type { DataFulfillment, Operation } from '../../compiler/read/config/config-model.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import type { Expression } from '../../compiler/read/expression/ast.js';
import { parseExpression } from '../../compiler/read/expression/parse/parse.js';
import { printExpression } from '../../compiler/read/expression/print-expression.js';
import { position, wholeText, type ScalarText } from '../../compiler/read/source.js';
import { lowerSql } from '../../compiler/read/sql/rewrite/lower.js';
import { selectText } from '../../compiler/read/sql/facts/mysql-columns.js';
import type { ValueUse } from '../../compiler/read/sql/facts/mysql-use.js';
import { kindOfExpression } from '../../compiler/read/sql/facts/value-kind.js';
import { readSql, type Dialect, type SqlPart, type SqlStatement } from '../../compiler/read/sql/statement.js';

/** An empty configuration, in which only the statement is known. */
const nowhere = { source: { path: 'config.yaml', text: '' }, start: 0, end: 0 };
const unnamed = { value: '', span: nowhere };
const none = {
  fields: new Map(),
  if: undefined,
  index: undefined,
  exceptions: [],
  continues: false,
  loopbreak: [],
};
const fulfillment: DataFulfillment = {
  ...none,
  ...{ type: 'READ', name: unnamed, datasource: unnamed, instructions: [], join: [] },
  ...{ filter: undefined, order: undefined, page: undefined },
};
const operation: Operation = {
  ...{
    name: unnamed,
    syntax: 'A',
    endpoint: undefined,
    transaction: false,
    together: undefined,
    authentications: undefined,
    tool: undefined,
  },
  ...{
    limits: [],
    accepts: undefined,
    idempotency: undefined,
    exceptions: [],
    fulfillments: [],
    responses: [],
    triggers: [],
    mappings: [],
    fields: new Map(),
  },
};
const analysis = new Analysis(
  {
    ...{
      source: nowhere.source,
      included: [],
      operations: [operation],
      datasources: [],
      authentications: [],
      functions: [],
      mcp: undefined,
    },
    settings: {
      debug: false,
      apiDocs: false,
      basePath: '',
      errors: 'message',
      numbers: 'exact',
      omits: { null: undefined, empty: undefined },
      licence: undefined,
      limits: [],
      fields: new Map(),
    },
  },
  undefined,
  [],
);

/** `given` is the dialect, READ or UPDATE, and in the `sql` form also `sql` and its parameters: `mysql READ sql PARAM(a) PARAM(b)`. */
export function read(
  given: string,
  text: ScalarText,
  rules: readonly Rule[] = [],
): { statement: SqlStatement | undefined; report: Report } {
  const [dialect, use, form, ...parameters] = given.split(' ');
  const report = new Report();
  const { sql, statement } = readSql(
    text,
    dialect as Dialect,
    form === 'sql'
      ? { kind: 'sql', parameters: parameters.map(parameter) }
      : { kind: 'query', syntax: form === 'B' ? 'B' : 'A' },
    use as 'READ' | 'UPDATE',
    report,
  );
  for (const finding of findingsIn(sql)) report.addFinding(finding);
  if (statement === undefined || report.errors.length > 0) return { statement: undefined, report };
  const [analyzed] = analysis.operations;
  if (analyzed === undefined) throw new Error('The operation is not there.');
  for (const { visit } of [sqlNeedsCast, sqlGroupDiffers, ...rules])
    visit(analysis, report).statement?.(statement, { operation, analyzed, loop: undefined, fulfillment });
  return { statement: report.hasErrors ? undefined : statement, report };
}

function parameter(text: string): Expression | undefined {
  return parseExpression(wholeText('parameters', text), { syntax: 'A' }, new Report());
}

/**
 * The diagnostics below the lines that they refer to, followed by the statement. For `mysql-values.yaml` it includes how values are used;
 * for `session-values.yaml` the statement is outside transactions.
 */
export function outcome(given: string, sql: string, file = ''): string {
  const rules = file === 'session-values.yaml' ? [sqlOutsideTransaction] : [];
  const { statement, report } = read(given, wholeText('query', sql), rules);
  const lines = report.diagnostics.flatMap(({ span, severity, code, message, hint }) => {
    const head = `${severity} ${code}: ${message}`;
    const described = hint === undefined ? [head] : [head, `hint: ${hint}`];
    if (span.source.path !== 'query') return [`at ${span.source.text}`, ...described];
    const { line, column } = position(span.source, span.start);
    const written = sql.split('\n')[line - 1] ?? '';
    const length = Math.max(1, Math.min(span.end - span.start, written.length - column + 1));
    return [written, ' '.repeat(column - 1) + '~'.repeat(length), ...described];
  });
  if (statement === undefined) return lines.join('\n');
  const { verb, retry, returnsRows } = statement;
  const {
    parts,
    bindings,
    added: addition,
  } = lowerSql(statement, {
    kindOf: kindOfExpression,
    isResultRead: true,
  });
  const added = addition === undefined ? [] : ['RETURNING added'];
  const properties = [verb, ...(retry ? ['retry'] : []), ...(returnsRows ? ['rows'] : []), ...added].join(
    ', ',
  );
  lines.push(`= ${properties}`, show(parts));
  if (bindings.length > 0) {
    lines.push(`= bind ${bindings.map((expression) => printExpression(expression, 'A')).join(' · ')}`);
  }
  if (file === 'mysql-values.yaml') lines.push(...usesOf(statement));
  return lines.join('\n');
}

function usesOf({ bindings, types, uses }: SqlStatement): string[] {
  const texts = bindings.map((_, index) => useText(uses.get(index)));
  const [written, compared] = [selectText(types?.written), selectText(types?.compared)];
  return [
    `= use ${texts.join(' · ')}`,
    ...(written === undefined ? [] : [`= columns ${written}`]),
    ...(compared === undefined ? [] : [`= compared ${compared}`]),
  ];
}

function useText(use: ValueUse | undefined): string {
  return use === undefined ? '–' : use.kind + (use.besideNumber === true ? ' beside a number' : '');
}

/** Parts other than text are in angle quotes. */
function show(parts: readonly SqlPart[]): string {
  const texts = parts.map((part) => {
    switch (part.kind) {
      case 'text':
        return part.text;
      case 'value':
        return '‹value›';
      case 'same':
        return `‹value ${part.value + 1} again›`;
      case 'in-list':
        return `‹${part.negated ? 'not in' : 'in'} ${part.count}›`;
      case 'elements':
        return part.comma === 'before' ? '‹, elements›' : '‹elements, ›';
    }
  });
  return texts.join('');
}
