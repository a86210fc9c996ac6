/** Keeps secrets out of everything that is printed: messages, hints and frames of the source. */
import type { Span, Source } from '../../source.js';
import { hideAnchors, hideFlowSections, hideNamedSecrets, type Stretch } from './secret-names.js';
import { hideSections, linesOf, type Findings } from './secret-sections.js';

/** What of a source must not be printed. */
export interface Secrets {
  /** The characters from `start` to `end`, with stars for the hidden ones, so that marks stay where they belong. */
  readonly masked: (start: number, end: number) => string;
  /** Whether part of the span is in a section whose values are secret. */
  readonly touches: (span: Span) => boolean;
  /** Whether the name is one of a datasource, an authentication or a header, and may be shown. */
  readonly isName: (name: string) => boolean;
  /** All these names. */
  readonly names: readonly string[];
  /** Whether the word is part of a secret. */
  readonly isHidden: (word: string) => boolean;
}

const known = new WeakMap<Source, Secrets>();

/** The secrets of a source: found once, so that many diagnostics of a long file are printed quickly. */
export function secretsOf(source: Source): Secrets {
  const found = known.get(source) ?? new SourceSecrets(source.text);
  known.set(source, found);
  return found;
}

const shown = 0;
const hidden = 1;

class SourceSecrets implements Secrets, Findings {
  readonly #flags: Uint8Array;
  #stretches: readonly Stretch[] = [];
  readonly #found: Stretch[] = [];
  readonly #starred: Stretch[] = [];
  #stars: readonly Stretch[] = [];
  readonly #names = new Set<string>();
  /** Those of hidden characters. */
  #words: ReadonlySet<string> | undefined;
  readonly #secretWords = new Map<string, boolean>();

  constructor(private readonly text: string) {
    this.#flags = new Uint8Array(text.length);
    const lines = linesOf(text);
    hideNamedSecrets(text, lines, this);
    if (isConfiguration(text)) {
      const isFlow = isFlowStyle(text);
      if (!isFlow) hideSections(text, lines, this);
      hideFlowSections(text, this, isFlow || /["',{](?:datasources|authentications)["']?\s*:/.test(text));
    }
    hideAnchors(text, lines, joined(this.#found), this);
    this.#stretches = joined(this.#found);
    this.#stars = joined(this.#starred);
  }

  hide(start: number, end: number): void {
    this.star(start, end);
    this.#found.push({ start, end });
  }

  star(start: number, end: number): void {
    this.#flags.fill(hidden, start, end);
    this.#starred.push({ start, end });
  }

  show(start: number, end: number): void {
    this.#flags.fill(shown, start, end);
  }

  name(name: string): void {
    this.#names.add(name);
  }

  masked(start: number, end: number): string {
    const text = this.text.slice(start, end);
    if (!this.#flags.subarray(start, end).includes(hidden)) return text;
    let result = '';
    for (let index = start; index < end; index += 1) {
      const character = this.text.charAt(index);
      result += this.#flags[index] === hidden && !/\s/.test(character) ? '*' : character;
    }
    return result;
  }

  touches({ start, end }: Span): boolean {
    let low = 0;
    let high = this.#stretches.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#stretches[middle]?.end ?? 0) > start) high = middle;
      else low = middle + 1;
    }
    return (this.#stretches[low]?.start ?? Number.POSITIVE_INFINITY) < Math.max(end, start + 1);
  }

  get names(): readonly string[] {
    return [...this.#names];
  }

  isName(name: string): boolean {
    return this.#names.has(name);
  }

  /** A hidden word that appears nowhere else: a database may have the name of one of its tables. */
  isHidden(word: string): boolean {
    this.#words ??= this.#hiddenWords();
    if (!this.#words.has(word)) return false;
    const isSecret = this.#secretWords.get(word) ?? !this.#appearsElsewhere(word);
    this.#secretWords.set(word, isSecret);
    return isSecret;
  }

  #hiddenWords(): ReadonlySet<string> {
    const words = new Set<string>();
    for (const { start, end } of this.#stars)
      for (const { index, 0: word } of this.text.slice(start, end).matchAll(/[\p{L}\p{N}_]{4,}/gu))
        if (this.#flags[start + index] === hidden) words.add(word);
    return words;
  }

  #appearsElsewhere(word: string): boolean {
    let start = 0;
    for (const stretch of [...this.#stars, { start: this.text.length, end: this.text.length }]) {
      if (appearsIn(this.text.slice(start, stretch.start), word)) return true;
      start = stretch.end;
    }
    return false;
  }
}

/** Whether the text has it as a whole word. */
function appearsIn(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
    if (!isInWord(text.charAt(at - 1)) && !isInWord(text.charAt(at + word.length))) return true;
  return false;
}

/** Also half of a character outside of the basic plane. */
function isInWord(character: string): boolean {
  return /[\p{L}\p{N}_\ud800-\udfff]/u.test(character);
}
/** An API description has no secrets but in URLs. */
function isConfiguration(text: string): boolean {
  return /(?:^|[\n{,\ufeff])[ \t\r"'?-]{0,50}(?:specification|operations|datasources|authentications)\b/.test(
    text,
  );
}

function isFlowStyle(text: string): boolean {
  return /^(?:\s|\ufeff|#[^\n]*\n|---)*(?:\{|"?specification"?\s*:?\s*"[^"\n]*"?\s*,)/.test(text);
}

/** Sorted, and those that overlap as one. */
function joined(stretches: readonly Stretch[]): readonly Stretch[] {
  const result: Stretch[] = [];
  for (const { start, end } of [...stretches].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last !== undefined && start <= last.end)
      result.splice(-1, 1, { start: last.start, end: Math.max(last.end, end) });
    else result.push({ start, end });
  }
  return result;
}
