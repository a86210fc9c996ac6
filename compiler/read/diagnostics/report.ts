/** Collects diagnostics: the compiler continues after an error, and reports all of them in one run. */
import { currentSpan, type Span, type Source } from '../source.js';
import { catalogue, type Code, type ParametersOf } from './catalogue.js';
import type { Sink } from './findings.js';
import type { Entry, Wording } from './catalogue/entry-messages.js';
import type { Diagnostic, Related, Severity } from './diagnostic.js';
import type { DisabledLines } from './disabled-lines.js';
import { editOf, type Edit, type Fix } from './fix.js';
import { Aliases } from './aliases.js';
import { conceal, concealed } from './secrets/conceal.js';

/** A longer text would be more than anybody reads, and many of them more than anybody waits for. */
const longestText = 2000;

/** Severities that the user has set, by code. An error that the service cannot be generated with must not be in it. */
export type Severities = ReadonlyMap<string, Severity | 'off'>;

/** So many uses of one name are kept. */
const maxRelated = 1000;

/** The message of a further use of the subject of a diagnostic. */
export const alsoUsedHere = 'also here';

export class Report implements Sink {
  /** Those with one subject are together. */
  readonly #groups: Diagnostic[][] = [];
  /** Codes with their spans. */
  readonly #known = new Set<string>();
  readonly #bySubject = new Map<string, Diagnostic[]>();
  readonly #errors: Span[] = [];
  readonly #ignored = new Map<Source, Stretches>();
  readonly #aliases = new Aliases();
  /** The paths of files that YAML could not read as a whole. */
  readonly #incomplete = new Set<string>();
  /** Lines of the configuration with comments that disable codes. */
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

  /** From now on what is added inside of `anchored` names the line of the alias that uses it too. */
  addAlias(anchored: Span, alias: Span): void {
    this.#aliases.add(anchored, alias);
  }

  /** Adds a diagnostic; the same code at the same position is reported once. */
  add<C extends Code>(code: C, span: Span, ...parameters: ParametersOf<C>): void {
    this.addEntry(code, catalogue[code] as Entry<ParametersOf<C>>, span, ...parameters);
  }

  /** The same for an entry outside of the catalogue: beside its rule. */
  addEntry<Parameters extends readonly unknown[]>(
    code: string,
    entry: Entry<Parameters>,
    span: Span,
    ...parameters: Parameters
  ): void {
    const key = `${code} ${span.source.path} ${span.start}`;
    if (this.#known.has(key) || this.#ignored.get(span.source)?.hold(span.start, span.end) === true) return;
    this.#known.add(key);
    const wanted = this.severities.get(code);
    if (wanted === 'off' || this.disabled?.hold(code, span) === true) return;
    const wording = entry.wordingOf(...conceal(parameters, span));
    const note = this.#aliases.noteOn(span);
    const isShared = note !== undefined && wording.isOfOperation === true;
    const advice = isShared ? 'Write it once for each syntax.' : undefined;
    const hints = [wording.hint, note, advice].flatMap((hint) => hint ?? []);
    const fix = isShared ? undefined : fixIn(wording, span, () => entry.wordingOf(...parameters));
    // A warning that the user makes an error does not change which checks run.
    if (entry.severity === 'error' && wanted !== 'warning') this.#errors.push(span);
    if (code === 'invalid-yaml') this.#incomplete.add(span.source.path);
    this.#put(
      {
        code,
        severity: wanted ?? entry.severity,
        message: cut(wording.message),
        ...(hints.length === 0 ? {} : { hint: cut(hints.join(' ')) }),
        ...(fix === undefined ? {} : { fix }),
        span: currentSpan(span),
        related: (wording.related ?? []).map((one) => ({ ...one, span: currentSpan(one.span) })),
      },
      wording.subject,
    );
  }

  /** As a diagnostic of its own, or as a further use of the same subject. */
  #put(diagnostic: Diagnostic, subject: string | undefined): void {
    const key = subject && JSON.stringify([diagnostic.code, diagnostic.span.source.path, subject]);
    const group = key === undefined ? undefined : this.#bySubject.get(key);
    if (group !== undefined) {
      group.push(diagnostic);
      return;
    }
    const added = [diagnostic];
    this.#groups.push(added);
    if (key !== undefined) this.#bySubject.set(key, added);
  }

  /** Whether YAML could not read a part of the source: then nothing is reported as missing in it. */
  isIncomplete(source: Source): boolean {
    return this.#incomplete.has(source.path);
  }

  /** Whether anything was added that stops the build by itself; not what the user has made an error. */
  get hasErrors(): boolean {
    return this.#errors.length > 0;
  }

  /** How many errors stop the build so far. */
  get errorCount(): number {
    return this.#errors.length;
  }

  /** The spans of the errors that stop the build, in the order in which they were found. */
  get errors(): Span[] {
    return [...this.#errors];
  }

  /** All diagnostics in file order. A file that YAML could not read as a whole is first, since other errors may follow from it. */
  get diagnostics(): Diagnostic[] {
    const rank = ({ span }: Diagnostic): number => (this.isIncomplete(span.source) ? 0 : 1);
    return this.#groups
      .flatMap(asOne)
      .sort(
        (a, b) =>
          rank(a) - rank(b) ||
          compare(a.span.source.path, b.span.source.path) ||
          a.span.start - b.span.start ||
          compare(a.code, b.code),
      );
  }
}

/** Ranges of one source, in the order of their starts. */
class Stretches {
  readonly #starts: number[] = [];
  /** For each the farthest end of it and of all before it. */
  readonly #farthest: number[] = [];

  add(start: number, end: number): void {
    const index = this.#indexBehind(start);
    this.#starts.splice(index, 0, start);
    this.#farthest.splice(index, 0, Math.max(end, this.#farthest[index - 1] ?? 0));
    for (let next = index + 1; (this.#farthest[next] ?? end) < end; next += 1) this.#farthest[next] = end;
  }

  /** Whether one of them holds all from `start` to `end`. */
  hold(start: number, end: number): boolean {
    return (this.#farthest[this.#indexBehind(start) - 1] ?? -1) >= end;
  }

  /** The number of those that begin at `start` or before. */
  #indexBehind(start: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= start) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** What was concealed cannot be written: `plain` has the words as they were before. */
function fixIn(
  { instead, yamlInstead, insteadOf, edits = [], isSuggestion = false }: Wording,
  span: Span,
  plain: () => Wording,
): Fix | undefined {
  if (edits.length > 0) return { edits, isSafe: !isSuggestion };
  const text = yamlInstead ?? instead;
  if (text === undefined || text.includes(concealed)) return undefined;
  const meant = plain();
  if (text !== (meant.yamlInstead ?? meant.instead)) return undefined;
  const edit = editOf(insteadOf ?? span, text, yamlInstead !== undefined);
  return edit && { edits: [edit], isSafe: !isSuggestion };
}

/** The first one in the file, with the spans of the others; none for an empty list. */
function asOne(group: readonly Diagnostic[]): Diagnostic[] {
  if (group.length <= 1) return [...group];
  const [first, ...others] = [...group].sort((a, b) => a.span.start - b.span.start);
  if (first === undefined) return [];
  const uses = others.slice(0, maxRelated).map(({ span }): Related => ({ span, message: alsoUsedHere }));
  const { fix: ofFirst, ...rest } = first;
  const fixes = [ofFirst, ...others.map(({ fix }) => fix)].flatMap((fix) => fix ?? []);
  const fix = fixes.length === group.length ? asOneFix(fixes) : undefined;
  return [{ ...rest, related: [...first.related, ...uses], ...(fix === undefined ? {} : { fix }) }];
}

/** All of them; undefined where two would change the same text. */
function asOneFix(fixes: readonly Fix[]): Fix | undefined {
  const edits = fixes.flatMap((fix): readonly Edit[] => fix.edits).sort((a, b) => a.start - b.start);
  const isClear = edits.every(({ start }, index) => start >= (edits[index - 1]?.end ?? 0));
  return isClear ? { edits, isSafe: fixes.every(({ isSafe }) => isSafe) } : undefined;
}

function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)}…`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
