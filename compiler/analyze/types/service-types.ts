/** The types of the values of a service's operations: requests, rows, responses of called operations. Computed once for each operation. */
import type {
  CodeFulfillment,
  DataFulfillment,
  Exception,
  Operation,
  Request,
  Response,
} from '../../read/config/config-model.js';
import type { ApiEndpoint, ApiSchema } from '../../read/openapi/api-model.js';
import { declaredSchemas } from '../../read/openapi/declared.js';
import { parameterFormat } from '../../read/openapi/parameter-style.js';
import { resultColumnsOf, type ResultColumns } from '../../read/sql/facts/result-columns.js';
import type { SqlStatement } from '../../read/sql/statement.js';
import { describedBody } from '../mapping/described.js';
import { claimedType, describedType } from './described-type.js';
import {
  booleanValue,
  fieldsOf,
  nullValue,
  objectOf,
  rows,
  rowsOf,
  textValue,
  unknownValue,
} from './known-types.js';
import { Flow } from './flow.js';
import { anyRequest, type RequestTypes } from './visible-values.js';
import { either, orNull } from './join-types.js';
import { promisedBy, type Promised } from './sent-digits.js';
import type { Fields, ValueType } from './value-type.js';

/** A result column as reported by the database. */
export interface Column {
  readonly name: string;
  readonly type: ValueType;
  readonly isSpelledByTable: boolean;
}

/** The columns of a statement as reported by the database; `none` if it refuses the statement; undefined if it was not asked. */
export type ColumnsOf = (statement: SqlStatement) => readonly Column[] | 'none' | undefined;

export class ServiceTypes {
  readonly #operations: ReadonlyMap<string, Operation>;
  readonly #flows = new Map<Operation, Flow>();
  /** Operations currently being analyzed: calls can form a cycle. */
  readonly #open = new Set<Operation>();

  constructor(
    operations: readonly Operation[],
    /** The names of operations called by references. */
    private readonly called: ReadonlySet<string>,
    /** The endpoint served by an operation; undefined if it is not described. */
    private readonly endpointOf: (operation: Operation) => ApiEndpoint | undefined,
    private readonly columnsOf: ColumnsOf,
    /** The schemas of successful response bodies in the third party's description. */
    private readonly bodiesOf: (request: Request, datasource: string) => readonly ApiSchema[],
    /** The schema of a user function's result; undefined if there is no result or it is unknown. */
    private readonly returnsOf: (fulfillment: CodeFulfillment) => ApiSchema | undefined,
    /** The schema of the results of a user function that expressions call; undefined if it is unknown. */
    private readonly functionReturns: (name: string) => ApiSchema | undefined,
    /** `settings.numbers: string` */
    private readonly areNumbersStrings: boolean,
  ) {
    this.#operations = new Map(operations.map((operation) => [operation.name.value, operation]));
  }

  flow(operation: Operation): Flow {
    const known = this.#flows.get(operation);
    if (known !== undefined) return known;
    this.#open.add(operation);
    const flow = new Flow(operation, this);
    this.#open.delete(operation);
    this.#flows.set(operation, flow);
    return flow;
  }

  /** The type of the named operation's response to a reference. */
  responseType(name: string): ValueType {
    const operation = this.#operations.get(name);
    // Calls nested more than 32 levels deep fail with status 500, so their types are irrelevant.
    if (operation === undefined || this.#open.has(operation) || this.#open.size > 32) return unknownValue;
    return this.flow(operation).responseType;
  }

  promised(operation: Operation, response: Response | Exception): Promised | undefined {
    return promisedBy(describedBody(response, this.endpointOf(operation)), this.areNumbersStrings);
  }

  request(operation: Operation): RequestTypes {
    const { endpoint } = operation;
    // A reference passes its own parameters and body, of any type.
    if (endpoint === undefined || this.called.has(operation.name.value)) return anyRequest;
    const described = this.endpointOf(operation);
    return {
      param: (name) => paramType(name, endpoint.parameters.includes(name), described),
      body:
        described === undefined && operation.accepts?.kind === 'text'
          ? orNull(textValue)
          : bodyType(described),
    };
  }

  result(request: Request, { datasource }: DataFulfillment): ValueType {
    // The result combines the elements of all pages, while the description describes a single page.
    if (request.pages !== undefined) return unknownValue;
    const [first, ...others] = this.bodiesOf(request, datasource.value).map(claimedType);
    if (first === undefined) return unknownValue;
    const type = others.reduce(either, first);
    return { ...unknownValue, claim: { type, datasource: datasource.value, request, path: [] } };
  }

  /** Without `returns`, there is no result. */
  codeResult(fulfillment: CodeFulfillment): ValueType {
    if (!fulfillment.fields.has('returns')) return nullValue;
    const schema = this.returnsOf(fulfillment);
    return schema === undefined ? unknownValue : describedType(schema);
  }

  functionResult(name: string): ValueType {
    const schema = this.functionReturns(name);
    return schema === undefined ? unknownValue : describedType(schema);
  }

  /** The rows of a fulfillment's statement. */
  rows(statement: SqlStatement, { name, type }: DataFulfillment): ValueType {
    const origin = { kind: 'rows', fulfillment: name.value } as const;
    const { dialect } = statement;
    const listed = resultColumnsOf(statement);
    const described = this.columnsOf(statement);
    if (described === 'none') return rows;
    if (described !== undefined) {
      const types = new Map(described.map((column) => [column.name, column.type]));
      const fields = fieldsOf(types, origin, true);
      const isSpelledByServer = dialect === 'mysql' && !spells(listed, described);
      return rowsOf(objectOf(isSpelledByServer ? { ...fields, isSpelledByServer } : fields));
    }
    // Without RETURNING, an UPDATE returns rows with the columns of the table, or on MySQL with the fields of the driver's report.
    if (!statement.returnsRows) return type === 'READ' ? unknownValue : rows;
    if (listed === undefined) return rows;
    const types = new Map(
      listed.names.flatMap((column) =>
        column === undefined
          ? []
          : [[column, statement.truths.includes(column) ? orNull(booleanValue) : unknownValue]],
      ),
    );
    const fields = fieldsOf(types, origin, listed.isWhole);
    return rowsOf(objectOf(dialect === 'mysql' ? inAnyCase(fields) : fields));
  }
}

/** Whether the SQL determines the letter case of all column names on any MySQL or MariaDB server. */
function spells(listed: ResultColumns | undefined, columns: readonly Column[]): boolean {
  return (
    listed?.isListed === true &&
    columns.every(({ name, isSpelledByTable }, index) => !isSpelledByTable && listed.names[index] === name)
  );
}

/** MySQL names a column after the statement or after the table, depending on the server, if the letter case differs. */
function inAnyCase(fields: Fields): Fields {
  const lower = new Set(fields.names.map((name) => name.toLowerCase()));
  return {
    ...fields,
    inAnyCase: true,
    typeOf: (name) => fields.typeOf(name) ?? (lower.has(name.toLowerCase()) ? unknownValue : undefined),
  };
}

function paramType(name: string, isInPath: boolean, described: ApiEndpoint | undefined): ValueType {
  if (described === undefined) return isInPath ? textValue : unknownValue;
  const parameters = described.parameters.filter(
    (parameter) => parameter.name === name && parameter.in !== 'header',
  );
  const schemas = declaredSchemas(described, name);
  const [schema, ...others] = schemas;
  const [parameter, ...more] = parameters;
  if (schema === undefined || parameter?.schema !== schema || others.length > 0 || more.length > 0)
    return unknownValue;
  // In an unsupported style, the value is an unvalidated string or missing.
  if (parameterFormat(parameter) === undefined) return unknownValue;
  const type = describedType(schema);
  const isThere =
    parameter.required ||
    parameter.in === 'path' ||
    (schema.default !== undefined && schema.default !== null);
  return isThere ? type : orNull(type);
}

function bodyType(described: ApiEndpoint | undefined): ValueType {
  const body = described?.body;
  if (body?.json === undefined || body.form !== undefined) return unknownValue;
  const type = describedType(body.json);
  return body.required ? type : orNull(type);
}
