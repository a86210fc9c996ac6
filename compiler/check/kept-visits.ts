/** What rules have found of operations that are kept from one compilation to the next. */
import type { Analysis } from '../analyze/analysis.js';
import { Recording, tellAll } from '../diagnostics/recording.js';
import type { Report } from '../diagnostics/report.js';
import type { Rule, RuleReport } from './rule.js';
import { RuleWalk } from './rule-walk.js';

/** By the analysis of each group of operations that call each other. */
export class KeptVisits {
  readonly #visits = new WeakMap<Analysis, GroupVisit>();

  /** `rules` are those that visit groups. */
  of(group: Analysis, rules: readonly Rule[]): GroupVisit {
    const known = this.#visits.get(group);
    if (known?.isOf(rules) === true) return known;
    const visit = new GroupVisit(rules, group);
    this.#visits.set(group, visit);
    return visit;
  }
}

/** The visit of all rules that see groups by themselves: what they report is kept, and what they have seen for their end. */
export class GroupVisit {
  readonly #recording = new Recording();
  readonly #ends = new Map<Rule, () => void>();
  /** Where the rules report. */
  #report: RuleReport | undefined;

  constructor(
    private readonly rules: readonly Rule[],
    group: Analysis,
  ) {
    const report: RuleReport = {
      tell: (...told) => {
        (this.#report ?? this.#recording).tell(...told);
      },
      get hasErrors() {
        return isWithErrors();
      },
    };
    const isWithErrors = (): boolean => {
      if (this.#report === undefined) throw new Error('A rule asks for errors before its end.');
      return this.#report.hasErrors;
    };
    const visitors = rules.map((rule) => {
      const visitor = rule.visit(group, report);
      if (visitor.end !== undefined) this.#ends.set(rule, visitor.end);
      return visitor;
    });
    const walk = new RuleWalk(visitors, group);
    for (const operation of group.operations) walk.operation(operation);
  }

  isOf(rules: readonly Rule[]): boolean {
    return rules.length === this.rules.length && rules.every((rule, index) => rule === this.rules[index]);
  }

  /** The rules that have something to say at the end. */
  get ending(): Iterable<Rule> {
    return this.#ends.keys();
  }

  tell(report: Report): void {
    tellAll(this.#recording.all, report);
  }

  end(rule: Rule, report: RuleReport): void {
    const end = this.#ends.get(rule);
    if (end === undefined) return;
    this.#report = report;
    end();
    this.#report = undefined;
  }
}
