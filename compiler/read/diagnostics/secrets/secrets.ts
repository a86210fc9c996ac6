/** Keeps secrets out of everything that is printed: messages, hints and frames of the source. */
import type { Span, Source } from '../../source.js';
import {
  hideAnchors,
  hideConfiguration,
  hideInUrls,
  type Findings,
  type Stretch,
} from './secret-sections.js';
import { tokensInPaths } from './secret-words.js';
import { uncertainWords } from './uncertain-text.js';

/** The parts of a source that must not be printed. */
export interface Secrets {
  /** The characters from `start` to `end`, with stars for the hidden ones, so that marks stay where they belong. */
  readonly masked: (start: number, end: number) => string;
  /** Whether a secret value is in the span; keys do not count. */
  readonly touches: (span: Span) => boolean;
  /** Whether the name is a key, a header, an option or the name of a resource that is shown. */
  readonly isName: (name: string) => boolean;
  /** Whether the word is part of a secret. */
  readonly isHidden: (word: string) => boolean;
}

const known = new WeakMap<Source, Secrets>();
const uncertain = new WeakSet<Source>();

/** Marks the structure of the source as unknown: of its text, only parts that certainly are not secret are shown. */
export function distrust(source: Source): void {
  if (uncertain.has(source)) return;
  uncertain.add(source);
  known.delete(source);
}

/** The secrets of a source: found once, so that many diagnostics of a long file are printed quickly. */
export function secretsOf(source: Source): Secrets {
  const found = known.get(source) ?? new SourceSecrets(source);
  known.set(source, found);
  return found;
}

const shown = 0;
const hidden = 1;
/** Part of a string that is no secret as a whole. */
const starred = 2;

class SourceSecrets implements Secrets, Findings {
  readonly #flags: Uint8Array;
  readonly #found: Stretch[] = [];
  readonly #starred: Stretch[] = [];
  #stars: readonly Stretch[] = [];
  readonly #names = new Set<string>();
  #resources: ReadonlySet<string> | undefined;
  /** Words of hidden characters. */
  #words: ReadonlySet<string> | undefined;
  readonly #secretWords = new Map<string, boolean>();

  private readonly text: string;

  constructor(source: Source) {
    const { text, includedAs } = source;
    this.text = text;
    this.#flags = new Uint8Array(text.length);
    hideInUrls(text, this);
    if (includedAs !== undefined || isConfiguration(text)) hideConfiguration(text, this);
    // Also in values of fields that are shown.
    for (const { start, end } of tokensInPaths(text)) if (this.#areShown(start, end)) this.star(start, end);
    if (uncertain.has(source) && !isOther(text)) this.#starUncertain();
    hideAnchors(text, joined(this.#found), this);
    this.#stars = joined(this.#starred);
  }

  hide(start: number, end: number): void {
    this.#flags.fill(hidden, start, end);
    this.#found.push({ start, end });
    this.#starred.push({ start, end });
  }

  star(start: number, end: number): void {
    this.#flags.fill(starred, start, end);
    this.#starred.push({ start, end });
  }

  show(start: number, end: number): void {
    this.#flags.fill(shown, start, end);
  }

  name(name: string): void {
    this.#names.add(name);
  }

  /** A word that is shown elsewhere need not be hidden. */
  #starUncertain(): void {
    const words = uncertainWords(this.text).filter(({ start, end }) => this.#areShown(start, end));
    for (const { start, end } of words) this.#flags.fill(starred, start, end);
    const others = new Set<string>();
    for (const { index, 0: word } of this.text.matchAll(/[\p{L}\p{N}_]+/gu))
      if (this.#flags[index] === shown) others.add(word);
    for (const { start, end } of words) {
      const parts = this.text.slice(start, end).match(/[\p{L}\p{N}_]+/gu) ?? [];
      if (parts.every((part) => others.has(part))) this.show(start, end);
      else this.star(start, end);
    }
  }

  #areShown(start: number, end: number): boolean {
    return this.#flags.subarray(start, end).every((flag) => flag === shown);
  }

  masked(start: number, end: number): string {
    const text = this.text.slice(start, end);
    if (this.#areShown(start, end)) return text;
    let result = '';
    for (let index = start; index < end; index += 1) {
      const character = this.text.charAt(index);
      result += this.#flags[index] !== shown && !/\s/.test(character) ? '*' : character;
    }
    return result;
  }

  touches({ start, end }: Span): boolean {
    return this.#flags.subarray(start, Math.max(end, start + 1)).includes(hidden);
  }

  isName(name: string): boolean {
    return this.#names.has(name) || (this.#resources ??= this.#namesOfResources()).has(name);
  }

  /** Names of fulfillments, responses and the like, which the file shows anyway. */
  #namesOfResources(): ReadonlySet<string> {
    const names = this.text.matchAll(/\bname:[ \t]{0,20}["']?([\p{L}\p{N}_-]{1,80})/gu);
    return new Set(
      [...names].flatMap(({ index, 0: written, 1: name = '' }) => {
        const end = index + written.length;
        return this.#areShown(end - name.length, end) ? [name] : [];
      }),
    );
  }

  /** A hidden word that is shown nowhere else: a database may have the name of one of its tables. */
  isHidden(word: string): boolean {
    this.#words ??= this.#hiddenWords();
    if (!this.#words.has(word)) return false;
    const isSecret = this.#secretWords.get(word) ?? !this.#isShown(word);
    this.#secretWords.set(word, isSecret);
    return isSecret;
  }

  #hiddenWords(): ReadonlySet<string> {
    const words = new Set<string>();
    for (const { start, end } of this.#stars)
      for (const { index, 0: word } of this.text.slice(start, end).matchAll(/[\p{L}\p{N}_]{4,}/gu))
        if (this.#flags[start + index] !== shown) words.add(word);
    return words;
  }

  /** Whether the text shows it as a whole word. */
  #isShown(word: string): boolean {
    for (let at = this.text.indexOf(word); at !== -1; at = this.text.indexOf(word, at + 1)) {
      const isWhole = !isInWord(this.text.charAt(at - 1)) && !isInWord(this.text.charAt(at + word.length));
      if (isWhole && this.#flags[at] === shown) return true;
    }
    return false;
  }
}

/** Also half of a character outside of the basic plane. */
function isInWord(character: string): boolean {
  return /[\p{L}\p{N}_\ud800-\udfff]/u.test(character);
}

/** API descriptions only contain secrets in URLs. */
function isConfiguration(text: string): boolean {
  return /(?:^|[\n{,\ufeff])[ \t\r"'?-]{0,50}(?:specification|operations|datasources|authentications|fulfillments)\b/.test(
    text,
  );
}

/** An API description, or tests: they have a list of fields of their own. */
function isOther(text: string): boolean {
  return /^["'{ ]{0,9}(?:openapi|swagger|tests)\b/m.test(text);
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
