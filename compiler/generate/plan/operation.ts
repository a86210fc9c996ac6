/** Plans one operation: its statements, its steps in order, and when each response is chosen. */
import type {
  CheckedData,
  CheckedException,
  CheckedFulfillment,
  CheckedOperation,
} from '../../analyze/check/checked.js';
import type {
  Datasource,
  Fulfillment,
  LoopFulfillment,
  Operation,
  Request,
  Trigger,
} from '../../read/config/config-model.js';
import { describedType } from '../../analyze/types/described-type.js';
import { statusOfInvalid } from '../../analyze/mapping/described.js';
import { nodesOf } from '../../read/config/walk.js';
import { neverHasBody } from '../../read/config/status.js';
import type { Expression } from '../../read/expression/ast.js';
import type { ApiSchema } from '../../read/openapi/api-model.js';
import { lowerSql } from '../../read/sql/rewrite/lower.js';
import { selectText } from '../../read/sql/facts/mysql-columns.js';
import { textForEach } from '../../read/sql/rewrite/for-each.js';
import { renderSql } from '../../read/sql/rewrite/render.js';
import { isEnclosed } from '../../analyze/operations/statements/row-context.js';
import type { SqlStatement } from '../../read/sql/statement.js';
import { tableNames } from '../../read/sql/facts/table-names.js';
import { moreThanFirstRow } from './results/first-rows.js';
import { planList } from './results/list-plan.js';
import { planOverlap } from './statements/overlap.js';
import { planSentLoops } from './statements/sent-loops.js';
import type { ServiceNames } from './names/service-names.js';
import type {
  ChoicePlan,
  DataStep,
  ExceptionPlan,
  OperationPlan,
  StepBase,
  StatementPlan,
  StepPlan,
  TriggerPlan,
} from './operation-plan.js';
import { boundForms, comparedColumns } from './statements/bound-forms.js';
import { camelCase } from './names/identifiers.js';
import {
  readSchemas,
  readsOfResults,
  type DescribedResponses,
  type ReadsOfResults,
} from './responses/described-responses.js';
import { planMessage } from './requests/message-plan.js';
import { planRequest } from './requests/request-plan.js';
import { planRequestGroups } from './requests/request-groups.js';
import { planRequestRead, readValueOf } from './requests/request-read.js';
import { repeatedReads } from './requests/repeated-reads.js';
import { planContent, planHeader } from './responses/response-plan.js';
import { planRow } from './results/row-plan.js';
import { sourceOf } from './statements/sources.js';
import { jsonRowsOf, streamedRead } from './results/list-reads.js';
import { ResultUses } from './results/result-uses.js';
import { MadeSecrets } from '../../analyze/operations/secrets/made-secrets.js';
import { kindsIn } from '../../analyze/operations/statements/kind-of-value.js';

/** Facts about a page, in the order of their variables. */
const pageFacts = ['previous', 'total', 'pages', 'link'] as const;

export function planOperation(checked: CheckedOperation, names: ServiceNames): OperationPlan {
  const { operation, analyzed } = checked;
  const { bodies } = analyzed.mapped;
  const conditional = operation.responses.filter(
    (response) => !response.default && response.if !== undefined,
  );
  const standard = operation.responses.filter((response) => response.default);
  const mapped = [...bodies.values()];
  const uses = new ResultUses(operation, mapped, analyzed.flow.unreached);
  const secrets = new MadeSecrets((name) => names.facts.operation(name));
  const planner = new StepPlanner(names, checked, uses, moreThanFirstRow(operation, mapped), secrets);
  const steps = planner.steps(checked.fulfillments);
  const named = names.operation(operation);
  const streamed = streamedRead(operation, steps, named.isCalled);
  // A transaction has a single connection, so its statements run one after another; traces rely on this order too.
  const overlap = {
    ...planOverlap(
      operation.transaction || names.debug ? [] : steps.filter((step) => step !== streamed),
      named.receivesFiles,
    ),
    requests: names.debug ? new Map() : planRequestGroups(checked, steps),
    sent: planSentLoops(operation.transaction && !names.debug ? steps : []),
  };
  return {
    ...named,
    syntax: operation.syntax,
    endpoint: operation.endpoint,
    summary: analyzed.endpoint?.summary,
    transaction: operation.transaction,
    isKeyed: operation.idempotency !== undefined,
    triggers: operation.triggers.map(planTrigger),
    request: planRequestRead(analyzed),
    repeated: repeatedReads(operation, named.receivesFiles),
    invalid: statusOfInvalid(analyzed.endpoint),
    issuers: issuersIn(operation),
    functions: functionsIn(operation),
    exceptions: checked.exceptions.map((exception) => planException(exception, operation, secrets)),
    steps,
    described: planner.described,
    streamed,
    jsonRows: jsonRowsOf(operation, steps, overlap, {
      digits: analyzed.digits,
      isCalled: named.isCalled,
      isWhole: (response) => names.omittedFields(response) === undefined,
    }),
    overlap,
    settled: analyzed.flow.settled,
    unreached: analyzed.flow.unreached,
    times: analyzed.flow.times,
    digits: analyzed.digits,
    responses: [...conditional, ...standard].map((response) => {
      const { name, statuscode, schema, header, fileName, etag } = response;
      return {
        name: name.value,
        condition: response.default ? undefined : response.if,
        status: statuscode.value,
        schema: neverHasBody(statuscode.value) ? undefined : schema,
        mapped: bodies.get(response),
        header: header.map(planHeader),
        content: planContent(response),
        ...{ fileName, etag },
        isSecret: secrets.isInResponse(response, operation),
        omitted: schema === undefined && !bodies.has(response) ? undefined : names.omittedFields(response),
      };
    }),
  };
}

function issuersIn(operation: Operation): ReadonlySet<string> {
  return new Set(nodesOf(operation).flatMap((node) => (node.kind === 'token' ? [node.authentication] : [])));
}

function functionsIn(operation: Operation): ReadonlySet<string> {
  return new Set(nodesOf(operation).flatMap((node) => (node.kind === 'code' ? [node.function] : [])));
}

function planException(
  exception: CheckedException,
  operation: Operation,
  secrets: MadeSecrets,
): ExceptionPlan {
  const { statuscode, message, header, code, schema } = exception;
  const error = {
    ...{ statuscode, message, header: header.map(planHeader), code: code?.value, schema },
    isSecret: secrets.isInException(exception, operation),
  };
  return exception.constraint === undefined
    ? { condition: exception.if, ...error }
    : { constraint: exception.constraint.value, ...error };
}

function planTrigger({ name, cron, timezone }: Trigger): TriggerPlan {
  if (cron === undefined) throw new Error(`The trigger '${name.value}' has no time.`);
  return { trigger: name.value, cron: cron.value.trim(), timezone: timezone?.value };
}

class StepPlanner {
  private readonly operation: Operation;
  #reads: ReadsOfResults | undefined;
  /** Described responses of the requests planned so far. */
  readonly described: DescribedResponses[] = [];

  constructor(
    private readonly names: ServiceNames,
    private readonly checked: CheckedOperation,
    private readonly uses: ResultUses,
    /** Fulfillments of which more than the first row is read. */
    private readonly whole: ReadonlySet<Fulfillment>,
    private readonly secrets: MadeSecrets,
  ) {
    this.operation = checked.operation;
  }

  /** `loop` is the innermost enclosing loop. */
  steps(fulfillments: readonly CheckedFulfillment[], loop?: LoopFulfillment): StepPlan[] {
    return fulfillments.map((fulfillment) => this.#step(fulfillment, loop));
  }

  #step(fulfillment: CheckedFulfillment, around: LoopFulfillment | undefined): StepPlan {
    const base = this.#base(fulfillment);
    switch (fulfillment.type) {
      case 'data':
        return { ...base, kind: 'data', ...this.#data(fulfillment, around) };
      case 'loop': {
        const { written, loop } = fulfillment;
        const { concurrency } = written;
        const isElementRead = this.uses.isElementRead(written);
        const steps = this.steps(fulfillment.fulfillments, written);
        return { ...base, kind: 'loop', loop, concurrency, isElementRead, steps };
      }
      case 'reference': {
        const { written } = fulfillment;
        const named = written.parameters.map(({ name, value }) => ({ name: name.value, value }));
        return {
          ...base,
          kind: 'reference',
          called: this.names.operation(fulfillment.called),
          parameters: named.filter(({ name }) => name !== 'body'),
          body: named.find(({ name }) => name === 'body')?.value,
          continues: written.continues,
        };
      }
      case 'deferred': {
        const { written, called, outbox } = fulfillment;
        const named = written.parameters.map(({ name, value }) => ({ name: name.value, value }));
        return {
          ...base,
          kind: 'deferred',
          called: this.names.operation(called),
          parameters: named.filter(({ name }) => name !== 'body'),
          body: named.find(({ name }) => name === 'body')?.value,
          outbox: this.names.datasource(outbox).identifier,
          ...this.names.storedCall(fulfillment, this.operation),
          times: written.times,
          within: written.within,
        };
      }
      case 'code': {
        const { written, returns } = fulfillment;
        return {
          ...base,
          kind: 'code',
          function: written.function.value,
          input: written.input,
          returns,
          result: returns && readValueOf(describedType(returns)),
        };
      }
      case 'compute':
        return { ...base, kind: 'compute', schema: fulfillment.schema };
    }
  }

  #base({ written: fulfillment, exceptions }: CheckedFulfillment): StepBase {
    const name = fulfillment.name.value;
    return {
      fulfillment: name,
      condition: fulfillment.if,
      exceptions: exceptions.map((exception) => planException(exception, this.operation, this.secrets)),
      loopbreak: fulfillment.loopbreak,
      index: this.uses.isReadByIndex(name) ? fulfillment.index : undefined,
      stored: fulfillment.index === undefined ? [] : this.uses.partsByIndex(name),
      isReadHere: this.uses.isReadHere(fulfillment),
      isReadLater: this.uses.isReadElsewhere(fulfillment),
    };
  }

  /** The name of the request's responses; undefined if no described part is read. */
  #described(
    request: Request,
    datasource: Datasource,
    { name, withStatus }: { readonly name: string; readonly withStatus: boolean },
  ): string | undefined {
    const endpoint = this.names.facts.thirdParty(request, datasource)?.endpoint;
    const reads = (this.#reads ??= readsOfResults(this.checked.analyzed)).get(request);
    const schemas =
      endpoint === undefined || reads === undefined ? [] : readSchemas(endpoint, reads, withStatus);
    if (schemas.length === 0) return undefined;
    const wished = camelCase(name, 'response');
    const isTaken = (one: string): boolean => this.described.some((other) => other.name === one);
    let own = wished;
    for (let count = 2; isTaken(own); count += 1) own = `${wished}${count}`;
    this.described.push({ name: own, schemas });
    return own;
  }

  #data(
    { written: fulfillment, datasource, instructions }: CheckedData,
    loop: LoopFulfillment | undefined,
  ): Omit<DataStep, keyof StepBase | 'kind'> {
    const { name, type: use } = fulfillment;
    const { identifier } = this.names.datasource(datasource);
    const { continues } = fulfillment;
    const withStatus = continues || this.uses.isStatusRead(fulfillment);
    const withHeaders = this.uses.isHeaderRead(fulfillment);
    const readsParts = this.uses.arePartsRead(fulfillment);
    const isResultRead = this.uses.isReadHere(fulfillment) || this.uses.isReadElsewhere(fulfillment);
    const paging = this.uses.pagingOf(fulfillment);
    const common = { use, datasource: identifier, fulfillment: name.value };
    const choices = instructions.map(({ condition, action }): ChoicePlan => {
      if (action.kind === 'request') {
        const described = this.#described(action.request, datasource, { name: name.value, withStatus });
        const isSealed = this.names.isSealed(action.request, this.operation);
        const use = { ...common, withStatus, withHeaders, readsParts, continues, described, isSealed };
        return { condition, action: planRequest(action, use) };
      }
      if (action.kind === 'message') {
        const { message } = action;
        const isSealed = this.names.isSealedMessage(message, this.operation);
        const use = { datasource: identifier, fulfillment: name.value, continues, isSealed };
        return { condition, action: planMessage(message, use, (value) => this.names.facts.isHtml(value)) };
      }
      const { statement } = action;
      const use = { ...common, isResultRead, isEnclosed: isEnclosed(statement.verb, datasource) };
      const orders = fulfillment.order && this.names.facts.ordersOf(fulfillment.order, statement);
      const filters =
        fulfillment.filter && this.names.facts.filterOf(fulfillment.filter, statement, this.operation);
      const { secretParameters } = this.names.facts;
      const list = planList(
        fulfillment,
        orders ?? [],
        filters,
        this.operation,
        loop,
        paging,
        secretParameters,
      );
      return { condition, action: { ...this.#statement(statement, use, loop), list } };
    });
    const isMailed = choices.some(({ action }) => action.kind === 'message');
    const isAsked = isMailed || choices.some(({ action }) => action.kind === 'request');
    const statements = instructions.flatMap(({ action }) =>
      action.kind === 'statement' ? [action.statement] : [],
    );
    return {
      result: !isAsked ? 'rows' : withStatus || withHeaders ? (isMailed ? 'outcome' : 'response') : 'body',
      continues: isAsked && continues,
      row: isAsked || !isResultRead ? undefined : planRow(statements, this.checked.analyzed.flow.rows),
      // An index stores the whole result.
      isFirstRow:
        !isAsked &&
        isResultRead &&
        fulfillment.order === undefined &&
        !this.whole.has(fulfillment) &&
        !this.uses.isReadByIndex(name.value),
      page:
        fulfillment.order === undefined
          ? undefined
          : {
              isNextRead: this.uses.isNextRead(fulfillment),
              facts: pageFacts.filter((fact) => paging.some((one) => one.fact === fact)),
              areRowsRead: this.uses.areRowsRead(fulfillment),
            },
      choices,
    };
  }

  #statement(
    statement: SqlStatement,
    { isResultRead, ...common }: StatementUse,
    loop: LoopFulfillment | undefined,
  ): Omit<StatementPlan, 'list'> {
    const schemasOf = (value: Expression): ApiSchema[] => this.names.declared.of(value, this.operation, loop);
    const kindOf = kindsIn(this.names.declared, this.operation, loop);
    const lowered = lowerSql(statement, { kindOf, isResultRead });
    const { facts } = this.names;
    const changesSession = lowered.changesSession || facts.changesSession(statement);
    const sql = { ...lowered, retry: facts.isRetryable(statement), changesSession };
    const forms = boundForms(sql, schemasOf, kindOf);
    const written = selectText(sql.types?.written);
    const compared = selectText(comparedColumns(sql, schemasOf, kindOf));
    const sources = sql.bindings.map((value) => sourceOf(value, this.operation, loop));
    const parts = sql.added?.before ?? sql.parts;
    const { reads, writes } = tableNames(statement);
    const [table] = [...writes, ...reads];
    const text = renderSql({ ...sql, parts });
    const isPlain = loop !== undefined && forms.size === 0 && !common.isEnclosed;
    const each = isPlain ? textForEach(statement, { ...sql }) : undefined;
    return { kind: 'statement', ...common, sql, table, parts, text, each, sources, forms, written, compared };
  }
}

/** Properties of the fulfillment that contains a statement. */
interface StatementUse extends Pick<StatementPlan, 'use' | 'datasource' | 'fulfillment' | 'isEnclosed'> {
  readonly isResultRead: boolean;
}
