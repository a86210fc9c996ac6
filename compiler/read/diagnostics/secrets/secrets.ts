/** Keeps secrets out of all output: messages, hints and source lines. */
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

/** The secrets of a source, which must not be printed. */
export interface Secrets {
  /** The characters from `start` to `end`, with hidden characters replaced by asterisks, so that columns stay the same. */
  readonly masked: (start: number, end: number) => string;
  /** Whether the span contains part of a secret value; keys do not count. */
  readonly touches: (span: Span) => boolean;
  /** Whether the name is a displayable key, header, option or resource name. */
  readonly isName: (name: string) => boolean;
  /** Whether the word is part of a secret. */
  readonly isHidden: (word: string) => boolean;
}

const known = new WeakMap<Source, Secrets>();
const uncertain = new WeakSet<Source>();

/** Marks the structure of the source as unknown: only text that is certainly not secret is shown. */
export function distrust(source: Source): void {
  if (uncertain.has(source)) return;
  uncertain.add(source);
  known.delete(source);
}

/** The secrets of a source, computed once, so that many diagnostics of a long file are printed quickly. */
export function secretsOf(source: Source): Secrets {
  const found = known.get(source) ?? new SourceSecrets(source);
  known.set(source, found);
  return found;
}

const shown = 0;
const hidden = 1;
/** A secret part of a public string. */
const starred = 2;

class SourceSecrets implements Secrets, Findings {
  readonly #flags: Uint8Array;
  readonly #found: Stretch[] = [];
  readonly #starred: Stretch[] = [];
  #stars: readonly Stretch[] = [];
  readonly #names = new Set<string>();
  #resources: ReadonlySet<string> | undefined;
  /** Words among the hidden characters. */
  #words: ReadonlySet<string> | undefined;
  readonly #secretWords = new Map<string, boolean>();

  private readonly text: string;

  constructor(source: Source) {
    const { text, includedAs } = source;
    this.text = text;
    this.#flags = new Uint8Array(text.length);
    hideInUrls(text, this);
    if (includedAs !== undefined || isConfiguration(text)) hideConfiguration(text, this);
    // Tokens can also occur in values of fields that are shown.
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

  /** Hides uncertain words, except those that are also shown elsewhere. */
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

  /** Names of fulfillments, responses and other resources, which are public. */
  #namesOfResources(): ReadonlySet<string> {
    const names = this.text.matchAll(/\bname:[ \t]{0,20}["']?([\p{L}\p{N}_-]{1,80})/gu);
    return new Set(
      [...names].flatMap(({ index, 0: written, 1: name = '' }) => {
        const end = index + written.length;
        return this.#areShown(end - name.length, end) ? [name] : [];
      }),
    );
  }

  /** Whether the word is hidden everywhere: a database can have the same name as a table that is shown. */
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

  /** Whether the word is shown somewhere as a whole word. */
  #isShown(word: string): boolean {
    for (let at = this.text.indexOf(word); at !== -1; at = this.text.indexOf(word, at + 1)) {
      const isWhole = !isInWord(this.text.charAt(at - 1)) && !isInWord(this.text.charAt(at + word.length));
      if (isWhole && this.#flags[at] === shown) return true;
    }
    return false;
  }
}

/** Includes surrogates, for characters outside of the basic plane. */
function isInWord(character: string): boolean {
  return /[\p{L}\p{N}_\ud800-\udfff]/u.test(character);
}

/** Whether the text is a configuration: API descriptions contain secrets only in URLs. */
function isConfiguration(text: string): boolean {
  return /(?:^|[\n{,\ufeff])[ \t\r"'?-]{0,50}(?:specification|operations|datasources|authentications|fulfillments)\b/.test(
    text,
  );
}

/** Whether the text is an API description or a test file, which have different fields. */
function isOther(text: string): boolean {
  return /^["'{ ]{0,9}(?:openapi|swagger|tests)\b/m.test(text);
}

/** Sorts the ranges and merges overlapping ones. */
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
