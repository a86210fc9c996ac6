/** Caches rule findings for unchanged operations between compilations. */
import type { Analysis } from '../operations/analysis.js';
import type { Recorded } from '../../read/diagnostics/finding.js';
import { Recording } from '../../read/diagnostics/recording.js';
import type { Report } from '../../read/diagnostics/report.js';
import type { Rule, RuleReport } from './rule.js';
import { RuleWalk } from './rule-walk.js';

/** Rule visits, keyed by the analysis of each group of operations that call each other. */
export class VisitsCache {
  readonly #visits = new WeakMap<Analysis, GroupVisit>();

  /** `rules` are the rules that visit groups. */
  of(group: Analysis, rules: readonly Rule[]): GroupVisit {
    const known = this.#visits.get(group);
    if (known?.isOf(rules) === true) return known;
    const visit = new GroupVisit(rules, group);
    this.#visits.set(group, visit);
    return visit;
  }
}

/** A visit by all rules that see groups separately. Caches their findings during the visit and at its end. */
class GroupVisit {
  readonly #seen = new Recording();
  readonly #ends = new Map<Rule, () => void>();
  /** Findings at the end, with and without errors in the file. */
  readonly #ended = new Map<boolean, ReadonlyMap<Rule, readonly Recorded[]>>();
  /** The current target for findings. */
  #recording = this.#seen;
  /** Only known at the end of a rule. */
  #hasErrors: boolean | undefined;

  constructor(
    private readonly rules: readonly Rule[],
    group: Analysis,
  ) {
    const report: RuleReport = {
      addFinding: (finding) => {
        this.#recording.addFinding(finding);
      },
      get hasErrors() {
        return isWithErrors();
      },
    };
    const isWithErrors = (): boolean => {
      if (this.#hasErrors === undefined) throw new Error('A rule asks for errors before its end.');
      return this.#hasErrors;
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

  replay(report: Report): void {
    report.replay(this.#seen.all);
  }

  /** The findings of rules at the end of the visit; most rules have none. */
  ended(hasErrors: boolean): ReadonlyMap<Rule, readonly Recorded[]> {
    const known = this.#ended.get(hasErrors);
    if (known !== undefined) return known;
    this.#hasErrors = hasErrors;
    const ended = new Map<Rule, readonly Recorded[]>();
    for (const [rule, end] of this.#ends) {
      this.#recording = new Recording();
      end();
      if (this.#recording.all.length > 0) ended.set(rule, this.#recording.all);
    }
    this.#ended.set(hasErrors, ended);
    return ended;
  }
}

/** The findings of all groups at the end of each rule. */
export class GroupEnds {
  readonly #byErrors = new Map<boolean, ReadonlyMap<Rule, readonly Recorded[]>>();

  constructor(private readonly visits: readonly GroupVisit[]) {}

  replay(rule: Rule, report: Report): void {
    const { hasErrors } = report;
    const ends = this.#byErrors.get(hasErrors) ?? this.#ends(hasErrors);
    this.#byErrors.set(hasErrors, ends);
    report.replay(ends.get(rule) ?? []);
  }

  #ends(hasErrors: boolean): ReadonlyMap<Rule, readonly Recorded[]> {
    const ends = new Map<Rule, Recorded[]>();
    for (const visit of this.visits) {
      for (const [rule, recorded] of visit.ended(hasErrors)) {
        const others = ends.get(rule);
        if (others === undefined) ends.set(rule, [...recorded]);
        else others.push(...recorded);
      }
    }
    return ends;
  }
}
