/** Collects diagnostics. The compiler continues after an error, so that one run reports all errors. */
import type { Span, Source, WithSpan } from '../source.js';
import { Aliases } from './aliases.js';
import { catalogue, type Code, type ParametersOf } from './catalogue.js';
import type { Diagnostic, Severities } from './diagnostic.js';
import type { DisabledLines } from './disabled-lines.js';
import type { Finding, Recorded, Sink } from './finding.js';
import { finish } from './finish.js';
import { Stretches } from './stretches.js';

export class Report implements Sink {
  readonly #found: Finding[] = [];
  /** Codes with their positions, to detect duplicates. */
  readonly #known = new Set<string>();
  readonly #errors: Span[] = [];
  readonly #ignored = new Map<Source, Stretches>();
  readonly #aliases = new Aliases();
  /** Paths of files with invalid YAML. */
  readonly #incomplete = new Set<string>();
  /** Lines with comments that disable codes. */
  disabled: DisabledLines | undefined;

  constructor(private readonly severities: Severities = new Map()) {}

  /** Ignores later findings inside these spans, which already have a diagnostic. */
  ignoreInside(spans: readonly Span[]): void {
    for (const { source, start, end } of spans) {
      const ignored = this.#ignored.get(source) ?? new Stretches();
      this.#ignored.set(source, ignored);
      ignored.add(start, end);
    }
  }

  /** Makes diagnostics inside of `anchored` mention the line of the alias. */
  addAlias(anchored: Span, alias: Span): void {
    this.#aliases.add(anchored, alias);
  }

  /** Adds a finding. The same code at the same position is only added once. */
  add<C extends Code>(code: C, span: Span, ...parameters: ParametersOf<C>): void {
    this.addFinding({ code, entry: catalogue[code], span, parameters: parameters as readonly never[] });
  }

  /** Adds a finding whose entry is defined in a rule file instead of the catalogue. */
  addFinding(finding: Finding): void {
    const { code, entry, span } = finding;
    const key = `${code} ${span.source.path} ${span.start}`;
    if (this.#known.has(key) || this.#ignored.get(span.source)?.hold(span.start, span.end) === true) return;
    this.#known.add(key);
    this.#found.push(finding);
    if (code === 'invalid-yaml') this.#incomplete.add(span.source.path);
    // A warning that the user turned into an error does not affect which checks run.
    if (entry.severity === 'error' && !(entry.canBeLowered === true && this.#isLowered(code, span)))
      this.#errors.push(span);
  }

  #isLowered(code: string, span: Span): boolean {
    const wanted = this.severities.get(code);
    return wanted === 'off' || wanted === 'warning' || this.disabled?.hold(code, span) === true;
  }

  /** Adds recorded findings, in order. */
  replay(recorded: readonly Recorded[]): void {
    for (const one of recorded) {
      if (one.kind === 'finding') this.addFinding(one);
      else if (one.kind === 'ignored') this.ignoreInside([one.span]);
      else this.addAlias(one.anchored, one.span);
    }
  }

  /** Whether part of the source is invalid YAML, so that nothing in it can be reported as missing. */
  isIncomplete(source: Source): boolean {
    return this.#incomplete.has(source.path);
  }

  /** Whether a finding stops the build, ignoring warnings that the user turned into errors. */
  get hasErrors(): boolean {
    return this.#errors.length > 0;
  }

  /** The spans of errors that stop the build, in order of discovery. */
  get errors(): Span[] {
    return [...this.#errors];
  }

  /** Codes in comments that did not disable any diagnostic. */
  get unneededComments(): readonly WithSpan<string>[] {
    return this.disabled?.unneeded(this.#found) ?? [];
  }

  /** All findings as diagnostics. */
  get diagnostics(): Diagnostic[] {
    return finish(this.#found, {
      severities: this.severities,
      disabled: this.disabled,
      aliases: this.#aliases,
      isIncomplete: (source) => this.isIncomplete(source),
    });
  }
}
