/** A configuration without errors: everything that an operation needs exists, and all names are resolved. */
import type { Analysis } from '../operations/analysis.js';
import type { AnalyzedOperation } from '../operations/analyzed-operation.js';
import { outboxOf } from '../operations/outbox-of.js';
import type { RequestUrl } from '../operations/requests/request-url.js';
import type {
  CodeFulfillment,
  ComputeFulfillment,
  DatabaseDatasource,
  DataFulfillment,
  Datasource,
  DeferredFulfillment,
  Exception,
  Fulfillment,
  FunctionDeclaration,
  Instruction,
  LoopFulfillment,
  Message,
  Operation,
  ReferenceFulfillment,
  Request,
  Schema,
} from '../../read/config/config-model.js';
import { reachedInstructions } from '../../read/config/walk.js';
import type { Report } from '../../read/diagnostics/report.js';
import type { ApiSchema } from '../../read/openapi/api-model.js';
import type { Expression, Template } from '../../read/expression/ast.js';
import type { WithSpan } from '../../read/source.js';
import type { Dialect } from '../../read/sql/dialect.js';
import type { SqlStatement } from '../../read/sql/statement.js';

export interface CheckedOperation {
  readonly analyzed: AnalyzedOperation;
  /** The operation as written. */
  readonly operation: Operation;
  readonly exceptions: readonly CheckedException[];
  readonly fulfillments: readonly CheckedFulfillment[];
}

export type CheckedException = Exception &
  (
    | { readonly if: Expression; readonly constraint: undefined }
    | { readonly if: undefined; readonly constraint: WithSpan<string> }
  );

interface CheckedBase {
  readonly exceptions: readonly CheckedException[];
}

export interface CheckedData extends CheckedBase {
  readonly type: 'data';
  readonly written: DataFulfillment;
  readonly datasource: Datasource;
  /** Excludes unreachable instructions. */
  readonly instructions: readonly CheckedInstruction[];
}

export interface CheckedInstruction {
  readonly condition: Expression | undefined;
  readonly action:
    | { readonly kind: 'statement'; readonly statement: SqlStatement }
    | { readonly kind: 'request'; readonly request: Request; readonly url: RequestUrl }
    | { readonly kind: 'message'; readonly message: CheckedMessage };
}

/** A mail whose required fields could be read. */
export type CheckedMessage = Message & { readonly subject: Expression; readonly text: Template };

export interface CheckedLoop extends CheckedBase {
  readonly type: 'loop';
  readonly written: LoopFulfillment;
  readonly loop: Expression;
  readonly fulfillments: readonly CheckedFulfillment[];
}

export interface CheckedReference extends CheckedBase {
  readonly type: 'reference';
  readonly written: ReferenceFulfillment;
  readonly called: Operation;
}

export interface CheckedDeferred extends CheckedBase {
  readonly type: 'deferred';
  readonly written: DeferredFulfillment;
  readonly called: Operation;
  /** The database that stores the call. */
  readonly outbox: DatabaseDatasource;
}

export interface CheckedCode extends CheckedBase {
  readonly type: 'code';
  readonly written: CodeFulfillment;
  /** The schema of the result; undefined for a function without a result. */
  readonly returns: ApiSchema | undefined;
}

export interface CheckedCompute extends CheckedBase {
  readonly type: 'compute';
  readonly written: ComputeFulfillment;
  readonly schema: Schema;
}

export type CheckedFulfillment =
  CheckedData | CheckedLoop | CheckedReference | CheckedDeferred | CheckedCode | CheckedCompute;

/** A user function that expressions call. */
export interface CheckedFunction {
  readonly written: FunctionDeclaration;
  /** The schemas of its arguments. */
  readonly input: readonly ApiSchema[];
  readonly returns: ApiSchema;
}

export interface CheckedDatasource {
  readonly written: Datasource;
  /** The SQL dialect; undefined for a third-party API. */
  readonly dialect: Dialect | undefined;
}

/** Only created after a report without errors, so its users do not need to check for missing parts. */
export class CheckedService {
  /** Operations in file order. */
  readonly operations: readonly CheckedOperation[];
  readonly datasources: readonly CheckedDatasource[];
  readonly functions: readonly CheckedFunction[];

  private constructor(readonly analysis: Analysis) {
    this.operations = analysis.operations.map((analyzed) => {
      const { operation } = analyzed;
      return {
        analyzed,
        operation,
        exceptions: checkedExceptions(operation),
        fulfillments: this.#fulfillments(operation.fulfillments),
      };
    });
    this.datasources = analysis.config.datasources.map((written) => ({
      written,
      dialect:
        written.type === 'rest' || written.type === 'smtp'
          ? undefined
          : reported(written.dialect, 'dialect', written.name),
    }));
    this.functions = analysis.config.functions.map((written) => ({
      written,
      input: written.input.map((type) => reported(analysis.codeSchema(type), 'input', written.name)),
      returns: reported(analysis.codeSchema(written.returns), 'returns', written.name),
    }));
  }

  /** The checked service; undefined if an error was reported. */
  static after(report: Report, analysis: Analysis): CheckedService | undefined {
    return report.hasErrors ? undefined : new CheckedService(analysis);
  }

  #fulfillments(fulfillments: readonly Fulfillment[]): CheckedFulfillment[] {
    return fulfillments.map((written) => this.#fulfillment(written));
  }

  #fulfillment(written: Fulfillment): CheckedFulfillment {
    const { name } = written;
    const exceptions = checkedExceptions(written);
    switch (written.type) {
      case 'READ':
      case 'UPDATE': {
        const named = this.analysis.datasource(written.datasource.value);
        const datasource = reported(named, 'datasource', name);
        const instructions = reachedInstructions(written).map((instruction) => ({
          condition: instruction.if,
          action: this.#action(instruction, datasource),
        }));
        return { type: 'data', written, exceptions, datasource, instructions };
      }
      case 'LOOP': {
        const loop = reported(written.loop, 'loop', name);
        const fulfillments = this.#fulfillments(written.fulfillments);
        return { type: 'loop', written, exceptions, loop, fulfillments };
      }
      case 'REFERENCE': {
        const called = this.analysis.operation(written.operationName.value);
        return { type: 'reference', written, exceptions, called: reported(called, 'operationName', name) };
      }
      case 'DEFERRED': {
        const called = this.analysis.operation(written.operationName.value);
        return {
          ...{ type: 'deferred', written, exceptions },
          called: reported(called, 'operationName', name),
          outbox: reported(outboxOf(written, this.analysis.config), 'outbox', name),
        };
      }
      case 'CODE': {
        const schema = this.analysis.codeSchema(written.returns);
        const returns = written.fields.has('returns') ? reported(schema, 'returns', name) : undefined;
        return { type: 'code', written, exceptions, returns };
      }
      case 'COMPUTE':
        return { type: 'compute', written, exceptions, schema: reported(written.schema, 'schema', name) };
    }
  }

  #action({ action: written }: Instruction, datasource: Datasource): CheckedInstruction['action'] {
    const action = reported(written, 'instruction', datasource.name);
    if (!('kind' in action)) return { kind: 'statement', statement: action };
    if (action.kind === 'message') {
      const subject = reported(action.subject, 'subject', datasource.name);
      const text = reported(action.text, 'text', datasource.name);
      return { kind: 'message', message: { ...action, subject, text } };
    }
    const parsed = this.analysis.url(action, datasource);
    const url = parsed !== undefined && 'url' in parsed ? parsed.url : undefined;
    return { kind: 'request', request: action, url: reported(url, 'url', datasource.name) };
  }
}

function checkedExceptions({ name, exceptions }: Pick<Operation, 'name' | 'exceptions'>): CheckedException[] {
  return exceptions.map((exception) => {
    const { constraint } = exception;
    return constraint === undefined
      ? { ...exception, constraint, if: reported(exception.if, 'if', name) }
      : { ...exception, constraint, if: undefined };
  });
}

/** The value, which cannot be missing: otherwise an error would have been reported. A missing value is a bug in the compiler. */
function reported<Value>(value: Value | undefined, field: string, of: { readonly value: string }): Value {
  if (value === undefined) throw new Error(`Nothing was reported of the missing ${field} of '${of.value}'.`);
  return value;
}
