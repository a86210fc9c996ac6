/** A rule: the entries of the catalogue that it reports, and a visitor that only reads. */
import type { Analysis } from '../operations/analysis.js';
import type { AnalyzedOperation } from '../operations/analyzed-operation.js';
import type { ParsedUrl } from '../operations/requests/request-url.js';
import type {
  Authentication,
  DataFulfillment,
  Datasource,
  Fulfillment,
  LoopFulfillment,
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

/** Entries of the catalogue, by their codes. */
export type Messages = Readonly<Record<string, Entry<never[]>>>;

/** Reports one of the rule's own codes: a wrong code or a missing parameter does not compile. */
export type ReportOwn<M extends Messages> = <Code extends keyof M & string>(
  code: Code,
  span: Span,
  ...parameters: Parameters<M[Code]['wordingOf']>
) => void;

/** Arguments of a rule while it visits one configuration. */
export interface RuleContext<M extends Messages> {
  readonly analysis: Analysis;
  readonly report: ReportOwn<M>;
  /** Whether anything has been reported so far that stops the build. */
  readonly hasErrors: () => boolean;
}

export interface OperationSite {
  readonly operation: Operation;
  /** Facts about it. */
  readonly analyzed: AnalyzedOperation;
}

export interface FulfillmentSite extends OperationSite {
  /** The innermost loop around. */
  readonly loop: LoopFulfillment | undefined;
}

/** Where an action is. */
export interface ActionSite extends FulfillmentSite {
  readonly fulfillment: DataFulfillment;
}

export interface RequestSite extends ActionSite {
  readonly datasource: Datasource;
  /** Its URL, taken apart; undefined where it could not be read. */
  readonly url: ParsedUrl | undefined;
}

export interface NodeSite extends OperationSite {
  readonly scope: Scope;
}

/** By the kind of the node; for every node of every expression, one before its parts. */
type NodeVisitor = {
  readonly [Kind in Expression['kind']]?: (
    node: Extract<Expression, { readonly kind: Kind }>,
    site: NodeSite,
  ) => void;
};

/** Callbacks, once for each of these, in the order of the file. */
export interface Visitor extends NodeVisitor {
  readonly datasource?: (datasource: Datasource) => void;
  readonly authentication?: (authentication: Authentication) => void;
  /** Before anything inside it. */
  readonly operation?: (operation: Operation, site: OperationSite) => void;
  readonly fulfillment?: (fulfillment: Fulfillment, site: FulfillmentSite) => void;
  readonly statement?: (statement: SqlStatement, site: ActionSite) => void;
  /** A request whose datasource is there. */
  readonly request?: (request: Request, site: RequestSite) => void;
  /** A header of a datasource or of a request whose datasource is there. */
  readonly header?: (header: VisitedHeader) => void;
  readonly response?: (response: Response, site: OperationSite) => void;
  readonly trigger?: (trigger: Trigger, site: OperationSite) => void;
  /** A node of any kind. */
  readonly node?: (node: Expression, site: NodeSite) => void;
  /** A node that reads a fulfillment which it cannot read. */
  readonly unreadable?: (read: Unreadable, node: Expression, site: NodeSite) => void;
  /** Called after everything else in an operation. */
  readonly operationEnd?: (operation: Operation, site: OperationSite) => void;
  /** Called after everything else, including other rules. */
  readonly end?: () => void;
}

/** Where rules report. */
export type RuleReport = Pick<Report, 'addFinding' | 'hasErrors'>;

interface Traits {
  /**
   * The knowledge that it needs before it runs: the configuration and as much of the API description as could be read; a description that
   * is absent or complete; or only the fact that a description is wanted, for rules that report its absence.
   */
  readonly needs: 'configuration' | 'description' | 'absence';
  /**
   * Whether its result for an operation depends on operations that neither call it nor are called by it. Other rules can visit each group
   * of operations that call each other separately.
   */
  readonly isOfWhole: boolean;
}

export interface Rule extends Traits {
  readonly messages: Messages;
  readonly visit: (analysis: Analysis, report: RuleReport) => Visitor;
}

/** Makes a rule of its messages and its visitor. */
type RuleMaker = <M extends Messages>(messages: M, visit: (context: RuleContext<M>) => Visitor) => Rule;

/**
 * `visit` is called once for each configuration, so its state belongs to that configuration alone. It is also called for each group of
 * operations that call each other, with an analysis of the group. `hasErrors` is for `end`.
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
