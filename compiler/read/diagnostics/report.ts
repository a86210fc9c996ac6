/** Collects diagnostics: the compiler continues after an error, and reports all errors in one run. */
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
  /** Codes with their spans. */
  readonly #known = new Set<string>();
  readonly #errors: Span[] = [];
  readonly #ignored = new Map<Source, Stretches>();
  readonly #aliases = new Aliases();
  /** The paths of files that YAML could not read as a whole. */
  readonly #incomplete = new Set<string>();
  /** Lines of its files with comments that disable codes. */
  disabled: DisabledLines | undefined;

  constructor(private readonly severities: Severities = new Map()) {}

  /** From now on nothing is added inside these spans: they have another diagnostic already. */
  ignoreInside(spans: readonly Span[]): void {
    for (const { source, start, end } of spans) {
      const ignored = this.#ignored.get(source) ?? new Stretches();
      this.#ignored.set(source, ignored);
      ignored.add(start, end);
    }
  }

  /** A diagnostic inside of `anchored` names the line of the alias that uses it too. */
  addAlias(anchored: Span, alias: Span): void {
    this.#aliases.add(anchored, alias);
  }

  /** Adds a finding; the same code at the same position is reported once. */
  add<C extends Code>(code: C, span: Span, ...parameters: ParametersOf<C>): void {
    this.addFinding({ code, entry: catalogue[code], span, parameters: parameters as readonly never[] });
  }

  /** Adds a finding whose entry is not in the catalogue but in the file of its rule. */
  addFinding(finding: Finding): void {
    const { code, entry, span } = finding;
    const key = `${code} ${span.source.path} ${span.start}`;
    if (this.#known.has(key) || this.#ignored.get(span.source)?.hold(span.start, span.end) === true) return;
    this.#known.add(key);
    this.#found.push(finding);
    if (code === 'invalid-yaml') this.#incomplete.add(span.source.path);
    // A warning that the user makes an error does not change which checks run.
    if (entry.severity === 'error' && !(entry.canBeLowered === true && this.#isLowered(code, span)))
      this.#errors.push(span);
  }

  #isLowered(code: string, span: Span): boolean {
    const wanted = this.severities.get(code);
    return wanted === 'off' || wanted === 'warning' || this.disabled?.hold(code, span) === true;
  }

  /** Adds recorded findings, in their order. */
  replay(recorded: readonly Recorded[]): void {
    for (const one of recorded) {
      if (one.kind === 'finding') this.addFinding(one);
      else if (one.kind === 'ignored') this.ignoreInside([one.span]);
      else this.addAlias(one.anchored, one.span);
    }
  }

  /** Whether YAML could not read a part of the source: then nothing is reported as missing in it. */
  isIncomplete(source: Source): boolean {
    return this.#incomplete.has(source.path);
  }

  /** Whether an added finding stops the build by itself; findings that the user has made an error do not count. */
  get hasErrors(): boolean {
    return this.#errors.length > 0;
  }

  /** The spans of the errors that stop the build, in the order in which they were found. */
  get errors(): Span[] {
    return [...this.#errors];
  }

  /** Codes in comments that nothing was found of. */
  get unneededComments(): readonly WithSpan<string>[] {
    return this.disabled?.unneeded(this.#found) ?? [];
  }

  /** All findings as they are shown. */
  get diagnostics(): Diagnostic[] {
    return finish(this.#found, {
      severities: this.severities,
      disabled: this.disabled,
      aliases: this.#aliases,
      isIncomplete: (source) => this.isIncomplete(source),
    });
  }
}
