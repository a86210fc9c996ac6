/** Explains one statement or request of a fulfillment in the form that is sent. */
import type { Analysis } from '../../analyze/operations/analysis.js';
import type { CheckedInstruction, CheckedOperation } from '../../analyze/check/checked.js';
import type { Expression, Syntax } from '../../read/expression/ast.js';
import { printExpression } from '../../read/expression/print-expression.js';
import { isRepeatable, type RequestPlan } from '../../generate/plan/requests/request-plan.js';
import type { MessagePlan } from '../../generate/plan/requests/message-plan.js';
import type { Retry } from '../../read/config/config-model.js';
import { retryDefaults } from '../../../runtime/rest/retry-defaults.js';
import type { ChoicePlan, StatementPlan } from '../../generate/plan/operation-plan.js';
import type { DatabaseType } from '../../read/sql/statement-description.js';
import type { LoweredSql } from '../../read/sql/rewrite/lower.js';
import type { SqlStatement } from '../../read/sql/statement.js';
import { tableNames } from '../../read/sql/facts/table-names.js';
import { columnType } from '../../analyze/types/column-type.js';
import { typeOf } from '../../analyze/types/infer.js';
import { filterSql } from '../../../runtime/lists/filter-sql.js';
import { countSql, listSql } from '../../../runtime/lists/ordered-sql.js';
import type { FilterPlan, ListPlan } from '../../generate/plan/results/list-plan.js';
import type {
  ExplainedDelivery,
  ExplainedFilter,
  ExplainedMessage,
  ExplainedOrder,
  ExplainedRequest,
  ExplainedRetry,
  ExplainedStatement,
} from './explained.js';
import { retryOf, type ServiceView, type ViewedOperation } from './service-view.js';
import { writtenHeader, writtenSchema, writtenTemplate, writtenUrl, writtenValue } from './written-form.js';
import { quotedList } from '../../read/diagnostics/quoted-list.js';
import type { ApiSchema } from '../../read/openapi/api-model.js';
import { allKinds, type ValueType } from '../../analyze/types/value-type.js';

/** A choice that runs a statement, with the statement's checked form. */
export interface StatementChoice {
  readonly choice: ChoicePlan;
  readonly action: StatementPlan;
  readonly statement: SqlStatement;
}

/** A choice that sends a request, with the request's checked form. */
export interface RequestChoice {
  readonly choice: ChoicePlan;
  readonly action: RequestPlan;
  readonly instruction: CheckedInstruction['action'] & { readonly kind: 'request' };
}

export function explainStatement(
  { choice, action, statement }: StatementChoice,
  { plan, checked }: ViewedOperation,
  { analysis }: ServiceView,
): ExplainedStatement {
  const { syntax } = plan;
  const { text, markers } = sentText(action.sql);
  const result = analysis.descriptions.of(statement)?.result;
  const described = result !== undefined && 'description' in result ? result.description : undefined;
  // The database checks the statement with a RETURNING clause, which is only sent if the rows are read.
  const givesRows = statement.returnsRows || action.sql.added !== undefined;
  const typeOfValue = valueTypes(action.fulfillment, checked, analysis);
  return {
    condition: written(choice, syntax),
    sql: text,
    ...(action.list === undefined
      ? {}
      : {
          orders: explainOrders(action.list, text, markers.length, action.sql),
          ...explainCount(action.list, text),
        }),
    ...(action.list?.filter === undefined
      ? {}
      : { filters: explainFilters(action.list.filter, markers.length, action.sql) }),
    parameters: action.sql.bindings.map((binding, index) => {
      const databaseType = described?.parameters[index];
      return {
        marker: markers[index] ?? '?',
        value: printExpression(binding, syntax),
        type: typeOfValue(binding),
        // MariaDB and MySQL do not report parameter types.
        databaseType:
          databaseType === undefined || databaseType.name === 'unknown'
            ? null
            : databaseTypeName(databaseType),
      };
    }),
    ...tableNames(statement),
    columns: givesRows
      ? (described?.columns?.map((column, index) => ({
          name: column.name,
          databaseType: databaseTypeName(column.type),
          nullable: columnType(column, statement, index).kinds.has('null'),
          table: column.origin?.table ?? null,
        })) ?? null)
      : null,
    retried: action.sql.retry,
  };
}

function explainCount({ numbered }: ListPlan, text: string): Pick<ExplainedStatement, 'count'> {
  return numbered?.maxTotal === undefined ? {} : { count: countSql(text, numbered.maxTotal) };
}

function explainOrders(
  { orders, default: usual, max, numbered, asked }: ListPlan,
  text: string,
  count: number,
  { dialect }: LoweredSql,
): ExplainedOrder[] {
  const isByCursor = asked.some(({ field }) => field === 'after');
  return orders.map(({ name, columns }) => {
    const limits = { hasLimit: max !== undefined };
    const hasOffset = numbered?.maxOffset !== undefined;
    const sqlOf = (after: readonly boolean[] | undefined): string =>
      listSql(
        text,
        count,
        { ...limits, columns, after, hasOffset: hasOffset && after === undefined },
        dialect,
      ).sql;
    return {
      ...{ name, isDefault: name === usual, sql: sqlOf(undefined) },
      next: max === undefined || !isByCursor ? null : sqlOf(columns.map(() => false)),
    };
  });
}

/** The conditions that requests, or a user function, can choose, each as if it were the only one. */
function explainFilters(
  { allow, function: ofFunction }: FilterPlan,
  count: number,
  { dialect }: LoweredSql,
): ExplainedFilter[] {
  return allow.flatMap(({ name, ...filtered }) =>
    filtered.operators.map((operator) => {
      const condition = { filtered, operator, values: [null], isNull: true, source: undefined };
      const { parts } = filterSql([condition], dialect);
      const marker = dialect === 'postgresql' ? `$${count + 1}` : '?';
      const sql = parts.map((part) => (typeof part === 'string' ? part : marker)).join('');
      if (ofFunction !== undefined) return { name: `${name} ${operator} of ${ofFunction}`, sql };
      const isWhole = filtered.plain === true || operator === 'eq';
      return { name: isWhole ? name : `${name}[${operator}]`, sql };
    }),
  );
}

/** The type of each value of a fulfillment: its name in the API description, or else the type of its expression. */
function valueTypes(
  fulfillment: string,
  { analyzed, operation }: CheckedOperation,
  { declared }: Analysis,
): (value: Expression) => string | null {
  const { environments } = analyzed.flow;
  const loop = analyzed.loopsByName.get(fulfillment);
  return (value) => {
    const [schema, ...others] = declared.of(value, operation, loop);
    const described = schema === undefined || others.length > 0 ? undefined : describedName(schema);
    if (described !== undefined) return described;
    const environment = environments.get(value);
    return environment === undefined ? null : typeName(typeOf(value, environment));
  };
}

export function explainRequest(
  { choice, action, instruction }: RequestChoice,
  syntax: Syntax,
  view: ServiceView,
): ExplainedRequest {
  const { request } = instruction;
  return {
    condition: written(choice, syntax),
    method: action.method,
    url: request.url === undefined ? '' : writtenUrl(request.url.value, syntax),
    header: action.header.map(({ name, value }) => ({ name, value: writtenHeader(name, value, syntax) })),
    sends: action.multipart !== undefined ? 'multipart' : (action.bodyType ?? null),
    body: bodyOf(action, syntax),
    ...responseOf(action, view),
    retried: action.isHarmless,
    maxPages: action.pages?.max ?? null,
    signed: schemeOf(action, view) ?? null,
    retry: action.isDelivered ? null : explainRetry(retryOf(action, view), isRepeatable(action)),
    delivery: explainDelivery(action, syntax, view),
  };
}

export function explainMessage(
  { condition, action }: ChoicePlan & { readonly action: MessagePlan },
  syntax: Syntax,
  view: ServiceView,
): ExplainedMessage {
  const { to, cc, replyTo, subject, text, html } = action;
  const print = (list: readonly Expression[]): string =>
    list.map((one) => printExpression(one, syntax)).join(', ');
  const printOrNull = (list: readonly Expression[]): string | null =>
    list.length === 0 ? null : print(list);
  return {
    condition: condition === undefined ? null : printExpression(condition, syntax),
    to: print(to),
    cc: printOrNull(cc),
    replyTo: printOrNull(replyTo),
    subject: print([subject]),
    text: writtenTemplate(text, syntax),
    html:
      html === undefined
        ? null
        : writtenTemplate(
            html.map((part) => (typeof part === 'string' ? part : part.value)),
            syntax,
          ),
    delivery: explainDelivery({ ...action, key: undefined }, syntax, view),
  };
}

function explainDelivery(
  { datasource, isDelivered, key }: Pick<RequestPlan, 'datasource' | 'isDelivered' | 'key'>,
  syntax: Syntax,
  view: ServiceView,
): ExplainedDelivery | null {
  const owner = view.datasource(datasource);
  if (!isDelivered || owner.type === 'db' || owner.outbox === undefined) return null;
  return {
    outbox: view.datasource(owner.outbox.database).name,
    key: key === undefined ? null : printExpression(key, syntax),
  };
}

/** The response format of the request, or else of its datasource. */
function responseOf(
  { response, datasource }: RequestPlan,
  view: ServiceView,
): Pick<ExplainedRequest, 'response'> {
  const owner = view.datasource(datasource);
  const form = response ?? (owner.type === 'rest' ? owner.response : undefined);
  return form === undefined ? {} : { response: form };
}

/** The signature scheme of the request, or else of its datasource. */
function schemeOf({ signature, datasource }: RequestPlan, view: ServiceView): string | undefined {
  const owner = view.datasource(datasource);
  return signature?.scheme ?? (owner.type === 'rest' ? owner.signature : undefined);
}

function explainRetry(retry: Retry | undefined, isRepeatable: boolean): ExplainedRetry | null {
  if (retry === undefined || retry.times === 0) return null;
  return { times: retry.times, on: retry.on ?? retryDefaults.on, ifUnsent: !isRepeatable };
}

function bodyOf({ body, multipart }: RequestPlan, syntax: Syntax): string | null {
  if (body !== undefined) return writtenSchema(body, syntax);
  if (multipart === undefined) return null;
  return multipart.map(({ name, value }) => `${name}: ${writtenValue(name, value, syntax)}`).join(', ');
}

/** The condition of a choice; null if there is none. */
function written({ condition }: ChoicePlan, syntax: Syntax): string | null {
  return condition === undefined ? null : printExpression(condition, syntax);
}

function databaseTypeName({ name, element, labels }: DatabaseType): string {
  if (element !== undefined) return `${databaseTypeName(element)}[]`;
  return labels === undefined ? name : `${name} (${quotedList(labels)})`;
}

/** The SQL with a placeholder per value; the placeholder of a list, which has one per element, is followed by three dots. */
function sentText({ dialect, parts }: LoweredSql): {
  readonly text: string;
  readonly markers: readonly string[];
} {
  const markers: string[] = [];
  const next = (isList: boolean): string => {
    markers.push(`${dialect === 'postgresql' ? `$${markers.length + 1}` : '?'}${isList ? '…' : ''}`);
    return markers.at(-1) ?? '';
  };
  const text = parts.map((part) => {
    switch (part.kind) {
      case 'text':
        return part.text;
      case 'value':
        return next(false);
      case 'same':
        return `$${part.value + 1}`;
      case 'in-list':
        return `${part.negated ? 'NOT ' : ''}IN (${Array.from({ length: part.count }, () => next(true)).join(', ')})`;
      case 'elements':
        return part.comma === 'before' ? `, ${next(true)}` : `${next(true)}, `;
    }
  });
  return { text: text.join('').trim(), markers };
}

/** Null if the type is unknown. */
function typeName({ kinds, words, constant, element }: ValueType): string | null {
  if (constant !== undefined) return constant === null ? 'null' : 'constant';
  if (kinds.size === allKinds.length) return null;
  const names = allKinds
    .filter((kind) => kinds.has(kind))
    .map((kind) => {
      if (kind === 'string' && words !== undefined)
        return [...words].map((word) => JSON.stringify(word)).join(' | ');
      const inside = kind === 'array' && element !== undefined ? typeName(element) : null;
      return inside === null ? kind : `${kind} of ${inside}`;
    });
  return names.join(' or ');
}

/** The name of the type in the API description; undefined if the schema is untyped or has more than a type. */
function describedName({ types, format, ...others }: ApiSchema): string | undefined {
  const isMore = others.enum !== undefined || types?.some((type) => type === 'array' || type === 'object');
  if (types === undefined || isMore === true) return undefined;
  return `${types.join(' or ')}${format === undefined ? '' : ` (${format})`}`;
}
