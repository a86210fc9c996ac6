/** Walks over a configuration and calls the rules for the parts for which they have registered. */
import type { Analysis } from '../operations/analysis.js';
import type { AnalyzedOperation } from '../operations/analyzed-operation.js';
import type { Datasource, Instruction } from '../../read/config/config-model.js';
import { exceptionsOf, walkOperation } from '../../read/config/walk.js';
import type { Expression } from '../../read/expression/ast.js';
import type { ActionSite, NodeSite, OperationSite, Visitor } from './rule.js';
import { unreadable } from './unreadable.js';
import { headersOfDatasource, headersOfRequest, headersOfResponse } from './visited-headers.js';
import { nodesIn } from '../../read/expression/visit.js';

type Hook = keyof Visitor;

/** Visitor hooks that are not kinds of expressions. */
const otherHooks = new Set<Hook>([
  ...(['datasource', 'authentication', 'operation', 'fulfillment', 'statement', 'request'] as const),
  'message',
  ...(['header', 'response', 'trigger', 'operationEnd', 'end'] as const),
]);

type ArgumentsOf<H extends Hook> = Parameters<NonNullable<Visitor[H]>>;

/** Visits a configuration with the visitors of several rules. */
export class RuleWalk {
  /** Visitor functions by hook name. */
  readonly #hooks = new Map<Hook, ((...values: never[]) => void)[]>();

  readonly #seesActions: boolean;
  readonly #seesExpressions: boolean;

  constructor(
    visitors: readonly Visitor[],
    private readonly analysis: Analysis,
  ) {
    for (const visitor of visitors) {
      for (const [hook, see] of Object.entries(visitor) as [Hook, (...values: never[]) => void][]) {
        const known = this.#hooks.get(hook);
        if (known === undefined) this.#hooks.set(hook, [see]);
        else known.push(see);
      }
    }
    this.#seesActions = (['statement', 'request', 'message', 'header'] as const).some((hook) =>
      this.#hooks.has(hook),
    );
    this.#seesExpressions = [...this.#hooks.keys()].some((hook) => !otherHooks.has(hook));
  }

  call<H extends Hook>(hook: H, ...values: ArgumentsOf<H>): void {
    for (const see of this.#hooks.get(hook) ?? []) see(...(values as never[]));
  }

  datasource(datasource: Datasource): void {
    this.call('datasource', datasource);
    for (const header of headersOfDatasource(datasource)) this.call('header', header);
  }

  operation(analyzed: AnalyzedOperation): void {
    const { operation } = analyzed;
    const site: OperationSite = { operation, analyzed };
    this.call('operation', operation, site);
    for (const { fulfillment, loop } of analyzed.fulfillments) {
      this.call('fulfillment', fulfillment, { operation, analyzed, loop });
      if (!this.#seesActions || (fulfillment.type !== 'READ' && fulfillment.type !== 'UPDATE')) continue;
      for (const instruction of fulfillment.instructions)
        this.#action(instruction, { operation, analyzed, loop, fulfillment });
    }
    for (const response of operation.responses) this.call('response', response, site);
    for (const one of [...exceptionsOf(operation), ...operation.responses])
      for (const visited of headersOfResponse(one)) this.call('header', visited);
    for (const trigger of operation.triggers) this.call('trigger', trigger, site);
    if (this.#seesExpressions) this.#expressions(site);
    this.call('operationEnd', operation, site);
  }

  #expressions(site: OperationSite): void {
    const { operation, analyzed } = site;
    walkOperation(operation, (expression, scope) => {
      const at: NodeSite = { ...site, scope };
      for (const node of nodesIn(expression)) {
        this.call('node', node, at);
        this.#node(node, at);
        const read = unreadable(node, analyzed, scope);
        if (read !== undefined) this.call('unreadable', read, node, at);
      }
    });
  }

  #action({ action }: Instruction, site: ActionSite): void {
    if (action === undefined) return;
    if (!('kind' in action)) {
      this.call('statement', action, site);
      return;
    }
    const datasource = this.analysis.datasource(site.fulfillment.datasource.value);
    if (datasource === undefined) return;
    if (action.kind === 'message') {
      this.call('message', action, { ...site, datasource });
      return;
    }
    this.call('request', action, { ...site, datasource, url: this.analysis.url(action, datasource) });
    for (const header of headersOfRequest(action)) this.call('header', header);
  }

  /** Calls the hook for the node's kind. */
  #node(node: Expression, site: NodeSite): void {
    for (const see of this.#hooks.get(node.kind) ?? []) see(...([node, site] as never[]));
  }
}
