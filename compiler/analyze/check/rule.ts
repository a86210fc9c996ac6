/** A rule consists of catalogue entries that it can report and of a read-only visitor. */
import type { Analysis } from '../operations/analysis.js';
import type { AnalyzedOperation } from '../operations/analyzed-operation.js';
import type { ParsedUrl } from '../operations/requests/request-url.js';
import type {
  Authentication,
  DataFulfillment,
  Datasource,
  Fulfillment,
  LoopFulfillment,
  Message,
  Operation,
  Request,
  Response,
  Trigger,
} from '../../read/config/config-model.js';
import type { Scope } from '../../read/config/walk.js';
import type { Entry } from '../../read/diagnostics/catalogue/entry-messages.js';
import type { Report } from '../../read/diagnostics/report.js';
import type { Expression } from '../../read/expression/ast.js';
import type { Span } from '../../read/source.js';
import type { SqlStatement } from '../../read/sql/statement.js';
import type { Unreadable } from './unreadable.js';
import type { VisitedHeader } from './visited-headers.js';

/** Catalogue entries by code. */
export type Messages = Readonly<Record<string, Entry<never[]>>>;

/** Reports one of the rule's own codes. A wrong code or a missing parameter fails to compile. */
export type ReportOwn<M extends Messages> = <Code extends keyof M & string>(
  code: Code,
  span: Span,
  ...parameters: Parameters<M[Code]['wordingOf']>
) => void;

/** The arguments of a rule for one configuration. */
export interface RuleContext<M extends Messages> {
  readonly analysis: Analysis;
  readonly report: ReportOwn<M>;
  /** Whether any diagnostic so far stops the build. */
  readonly hasErrors: () => boolean;
}

export interface OperationSite {
  readonly operation: Operation;
  /** Facts about the operation. */
  readonly analyzed: AnalyzedOperation;
}

export interface FulfillmentSite extends OperationSite {
  /** The innermost surrounding loop. */
  readonly loop: LoopFulfillment | undefined;
}

/** The location of an action. */
export interface ActionSite extends FulfillmentSite {
  readonly fulfillment: DataFulfillment;
}

export interface RequestSite extends ActionSite {
  readonly datasource: Datasource;
  /** The parsed URL; undefined if unreadable. */
  readonly url: ParsedUrl | undefined;
}

export interface MessageSite extends ActionSite {
  readonly datasource: Datasource;
}

export interface NodeSite extends OperationSite {
  readonly scope: Scope;
}

/** Callbacks by node kind, called for every node of every expression; a node is visited before its parts. */
type NodeVisitor = {
  readonly [Kind in Expression['kind']]?: (
    node: Extract<Expression, { readonly kind: Kind }>,
    site: NodeSite,
  ) => void;
};

/** Callbacks, called once per item in file order. */
export interface Visitor extends NodeVisitor {
  readonly datasource?: (datasource: Datasource) => void;
  readonly authentication?: (authentication: Authentication) => void;
  /** Called before anything inside the operation. */
  readonly operation?: (operation: Operation, site: OperationSite) => void;
  readonly fulfillment?: (fulfillment: Fulfillment, site: FulfillmentSite) => void;
  readonly statement?: (statement: SqlStatement, site: ActionSite) => void;
  /** Called for requests whose datasource exists. */
  readonly request?: (request: Request, site: RequestSite) => void;
  /** Called for mails whose datasource exists. */
  readonly message?: (message: Message, site: MessageSite) => void;
  /** Called for headers of datasources, and of requests whose datasource exists. */
  readonly header?: (header: VisitedHeader) => void;
  readonly response?: (response: Response, site: OperationSite) => void;
  readonly trigger?: (trigger: Trigger, site: OperationSite) => void;
  /** Called for nodes of any kind. */
  readonly node?: (node: Expression, site: NodeSite) => void;
  /** Called for nodes that name a fulfillment which is not readable there. */
  readonly unreadable?: (read: Unreadable, node: Expression, site: NodeSite) => void;
  /** Called after everything else in the operation. */
  readonly operationEnd?: (operation: Operation, site: OperationSite) => void;
  /** Called after everything else, including other rules. */
  readonly end?: () => void;
}

/** The report used by rules. */
export type RuleReport = Pick<Report, 'addFinding' | 'hasErrors'>;

interface Traits {
  /**
   * What the rule requires: `configuration` (with as much of the API description as is readable), `description` (complete or absent), or
   * `absence` for rules that report a missing description.
   */
  readonly needs: 'configuration' | 'description' | 'absence';
  /**
   * Whether the result for an operation depends on operations that neither call it nor are called by it. Other rules can visit each group
   * of operations that call each other separately.
   */
  readonly isOfWhole: boolean;
}

export interface Rule extends Traits {
  readonly messages: Messages;
  readonly visit: (analysis: Analysis, report: RuleReport) => Visitor;
}

/** Creates a rule from its messages and its visitor. */
type RuleMaker = <M extends Messages>(messages: M, visit: (context: RuleContext<M>) => Visitor) => Rule;

/**
 * `visit` is called once per configuration, so that its state belongs to a single configuration. It is also called for each group of
 * operations that call each other, with an analysis of the group. `hasErrors` may only be used in `end`.
 */
function makerOf(traits: Traits): RuleMaker {
  return (messages, visit) => ({
    ...traits,
    messages,
    visit: (analysis, report) =>
      visit({
        analysis,
        report: (code, span, ...parameters) => {
          const entry: Entry<never[]> | undefined = messages[code];
          if (entry !== undefined) report.addFinding({ code, entry, span, parameters });
        },
        hasErrors: () => report.hasErrors,
      }),
  });
}

export const rule = makerOf({ needs: 'configuration', isOfWhole: false });

/** A rule that compares unrelated operations, or looks for something missing in all of them. */
export const ruleOfWhole = makerOf({ needs: 'configuration', isOfWhole: true });

/** A rule that compares the configuration with the API description. */
export const descriptionRule = makerOf({ needs: 'description', isOfWhole: false });

export const descriptionRuleOfWhole = makerOf({ needs: 'description', isOfWhole: true });

/** A rule that reports a missing API description. */
export const absenceRule = makerOf({ needs: 'absence', isOfWhole: false });
