/** Marks that state which parameters of a message contain user text. Every catalogue entry marks all text parameters. */
import type { Span } from '../source.js';
import type { Related } from './diagnostic.js';
import type { Edit } from './fix.js';

/** All possible words for a parameter that selects the wording. They can be shown even near a secret. */
export class Words<in out Word extends string = string> {
  constructor(readonly all: readonly Word[]) {}
}

/** The mark for a union of words. A list that lacks one of the words, or contains another, fails to compile. */
export function words<const Word extends string>(...all: readonly Word[]): Words<Word> {
  return new Words(all);
}

/**
 * The mark of a text parameter:
 * - `text`: user text; near a secret, it is shown only if it is certainly not secret
 * - `suggestion`: a suggested name, replaced by `undefined` if it must not be shown
 * - `quoted`: a value of the file as YAML, with its quotes
 * - `reference`: a reference to a schema or an environment variable, whose name is shown
 * - `word`: text of the compiler
 * - `sentence`: text of the compiler that contains user text in single quotes
 * - `rewriting`: text of the compiler that contains text of the file as it will be after the edits
 */
export type TextMark = 'text' | 'suggestion' | 'quoted' | 'reference' | 'word' | 'sentence' | 'rewriting';

/** Marks for each field of an object, or `fact`: an analysis result about operations, which is not searched for secret words. */
export type Mark = TextMark | 'fact' | Words<never> | Words | Marks;

/** Marks by parameter name. A parameter without a mark does not contain text. */
export interface Marks {
  readonly [parameter: string]: Mark;
}

/** Types that do not contain printable text. */
type Textless = boolean | number | Span | readonly (Span | Edit | Related)[];

type MarkOf<T> = [NonNullable<T>] extends [string]
  ? string extends NonNullable<T>
    ? Exclude<TextMark, undefined extends T ? never : 'suggestion'>
    : Words<NonNullable<T>>
  : NonNullable<T> extends readonly (infer Item)[]
    ? Item extends string
      ? number extends NonNullable<T>['length']
        ? 'text' | 'word'
        : never
      : MarksOf<Item>
    : NonNullable<T> extends ReadonlySet<string>
      ? 'text' | 'word'
      : 'fact' | MarksOf<NonNullable<T>>;

/** The marks required for these parameters: exactly one for each text parameter. */
export type MarksOf<Parameters> = {
  readonly [
    Name in keyof Parameters as NonNullable<Parameters[Name]> extends Textless ? never : Name
  ]-?: MarkOf<Parameters[Name]>;
};
