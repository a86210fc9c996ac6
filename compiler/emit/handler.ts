/** The module of one operation: its statements, and the handler that runs its fulfillments and builds its answer. */
import type { Exception, Response } from '../config/model.js';
import { printExpression } from '../expression/print.js';
import type { Expression } from '../expression/ast.js';
import type { OperationPlan, StatementPlan, StepPlan } from '../plan/operation.js';
import { camelCase } from '../plan/name.js';
import type { DatasourcePlan } from '../plan/plan.js';
import { emitBindings } from './bindings.js';
import { commentText, lineComment } from './comment.js';
import { emitCondition, emitTemplate, type Binding, type Scope } from './expression.js';
import { stringLiteral } from './literal.js';
import { Module } from './module.js';
import { Names } from './names.js';
import { emitSchema } from './schema.js';
import { emitStatement, statementName } from './statement.js';

export function emitHandler(
  operation: OperationPlan,
  datasources: readonly DatasourcePlan[],
  configName: string,
): Module {
  return new HandlerEmitter(operation, datasources, configName).emit();
}

class HandlerEmitter {
  readonly #module: Module;
  readonly #names: Names;
  readonly #results = new Map<string, Binding>();

  constructor(
    private readonly operation: OperationPlan,
    datasources: readonly DatasourcePlan[],
    configName: string,
  ) {
    this.#module = new Module(`src/operations/${operation.fileName}.ts`, configName);
    this.#names = new Names([
      operation.functionName,
      ...datasources.map((datasource) => datasource.identifier),
    ]);
  }

  emit(): Module {
    const { name, endpoint, functionName, steps, responses } = this.operation;
    const variables = steps.map((step) => this.#names.take(camelCase(step.fulfillment, 'result'), 'Result'));
    const statements = new Map<StatementPlan, string>();
    for (const { statement } of steps.flatMap((step) => step.choices)) {
      statements.set(statement, this.#names.take(statementName(statement)));
    }
    const body = [
      ...steps.map((step, index) => this.#step(step, variables[index] ?? '', statements)),
      this.#responses(responses),
    ];
    this.#module.add(`const operation = ${stringLiteral(name)};`);
    for (const [statement, constant] of statements)
      this.#module.add(emitStatement(constant, statement, this.#module));
    const [callType, replyType] = [this.#module.runtime('Call'), this.#module.runtime('Reply')];
    this.#module.add(
      `/** ${endpoint === undefined ? 'operation ' : ''}${commentText(name)} */\n` +
        `export async function ${functionName}(call: ${callType}): Promise<${replyType}> {\n${body.join('\n\n')}\n}`,
    );
    return this.#module;
  }

  get #scope(): Scope {
    return { module: this.#module, results: this.#results, element: undefined };
  }

  #step(step: StepPlan, variable: string, statements: ReadonlyMap<StatementPlan, string>): string {
    const comment = lineComment(`fulfillment ${step.fulfillment}`);
    const isRead = step.isReadLater || step.isReadByException;
    const always = step.choices.at(-1)?.condition === undefined;
    const single = always && step.choices.length === 1;
    if (step.condition === undefined) {
      const run = this.#choices(step, isRead ? variable : undefined, single, statements);
      const declaration = isRead && !single ? `${this.#declaration(variable, !always)}\n` : '';
      this.#bind(step, variable, !always);
      return [comment, declaration + run, ...this.#exceptions(step)].join('\n');
    }
    const condition = emitCondition(step.condition, this.#scope);
    const inside = isRead && !step.isReadLater && single;
    const outside = isRead && !inside ? variable : undefined;
    const run = inside
      ? this.#choices(step, variable, true, statements)
      : this.#choices(step, outside, false, statements);
    this.#bind(step, variable, !always);
    const block = [run, ...this.#exceptions(step)].join('\n');
    this.#bind(step, variable, true);
    return [
      comment,
      ...(outside === undefined ? [] : [this.#declaration(variable, true)]),
      lineComment(`if: ${this.#print(step.condition)}`),
      `if (${condition}) {\n${block}\n}`,
    ].join('\n');
  }

  #bind(step: StepPlan, variable: string, nullable: boolean): void {
    this.#results.set(step.fulfillment, { variable, type: 'rows', nullable });
  }

  #declaration(variable: string, nullable: boolean): string {
    const row = this.#module.runtime('Row');
    return nullable ? `let ${variable}: ${row}[] | null = null;` : `let ${variable}: ${row}[];`;
  }

  /** The first instruction whose condition is true, or that has none, is executed. */
  #choices(
    step: StepPlan,
    variable: string | undefined,
    declare: boolean,
    statements: ReadonlyMap<StatementPlan, string>,
  ): string {
    const target = variable === undefined ? '' : `${declare ? 'const ' : ''}${variable} = `;
    const branches = step.choices.map(({ condition, statement }) => {
      const values = emitBindings(statement.sql, this.#scope);
      const run = `${target}await ${statements.get(statement) ?? ''}(call, [${values.join(', ')}]);`;
      if (condition === undefined) return step.choices.length === 1 ? run : `{\n${run}\n}`;
      const comment = lineComment(`if: ${this.#print(condition)}`);
      return `if (${emitCondition(condition, this.#scope)}) {\n${comment}\n${run}\n}`;
    });
    return branches.join(' else ');
  }

  #exceptions(step: StepPlan): string[] {
    return step.exceptions.map((exception) => this.#exception(exception));
  }

  #exception({ if: condition, statuscode, message }: Exception): string {
    if (condition === undefined) throw new Error('An exception without a condition passed the checks.');
    const test = `if (${emitCondition(condition, this.#scope)})`;
    const end = `return ${this.#module.runtime('fail')}(${statuscode}, ${emitTemplate(message, this.#scope)});`;
    const fitsOneLine = test.length + end.length < 90;
    return [
      lineComment(`exception: ${this.#print(condition)}`),
      fitsOneLine ? `${test} ${end}` : `${test} {\n${end}\n}`,
    ].join('\n');
  }

  #responses(responses: readonly Response[]): string {
    return responses.map((response) => this.#response(response)).join('\n\n');
  }

  #response(response: Response): string {
    const { name, statuscode, schema } = response;
    const hasBody = schema !== undefined && statuscode.value !== 204 && statuscode.value !== 304;
    const body = hasBody ? `, ${emitSchema(schema, this.#scope, `response ${name.value}`)}` : '';
    const answer = `return ${this.#module.runtime('reply')}(${statuscode.value}${body});`;
    if (response.default) return `${lineComment(`response ${name.value} (default)`)}\n${answer}`;
    if (response.if === undefined) throw new Error('A response without a condition was planned.');
    return [
      lineComment(`response ${name.value}, if: ${this.#print(response.if)}`),
      `if (${emitCondition(response.if, this.#scope)}) {\n${answer}\n}`,
    ].join('\n');
  }

  #print(expression: Expression): string {
    return printExpression(expression, this.operation.syntax);
  }
}
