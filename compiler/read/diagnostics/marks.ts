/** Which parameters of a message are text of the user: each entry of the catalogue marks all of its parameters that hold text. */
import type { Span } from '../source.js';
import type { Related } from './diagnostic.js';
import type { Edit } from './fix.js';

/** All words that a parameter can be, in messages that choose their words by them. Near a secret they are shown. */
export class Words<in out Word extends string = string> {
  constructor(readonly all: readonly Word[]) {}
}

/** The mark of a parameter whose type is a union of words: a list without one of them does not compile, nor one with another word. */
export function words<const Word extends string>(...all: readonly Word[]): Words<Word> {
  return new Words(all);
}

/**
 * The mark of a parameter that contains text:
 *
 * - `text` is text of the user: near a secret it is shown only if it certainly is not secret
 * - `suggestion` is a suggested name, `undefined` if it must not be shown
 * - `quoted` is a value of the file as YAML, with its quotes
 * - `reference` is a reference to a schema or to an environment variable, whose name is shown
 * - `word` is text of the compiler alone
 * - `sentence` is text of the compiler with text of the user in single quotes
 * - `rewriting` is text of the compiler with text of the file, as it will be after the edits
 */
export type TextMark = 'text' | 'suggestion' | 'quoted' | 'reference' | 'word' | 'sentence' | 'rewriting';

/** An object has a mark for each of its fields, or is a `fact`: a result of the analysis about operations, where the words of secrets are not looked for. */
export type Mark = TextMark | 'fact' | Words<never> | Words | Marks;

/** Marks by the names of parameters. A parameter without one holds no text. */
export interface Marks {
  readonly [parameter: string]: Mark;
}

/** Types without text that a message would print. */
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

/** The marks required for these parameters: one for each that contains text, and no others. */
export type MarksOf<Parameters> = {
  readonly [
    Name in keyof Parameters as NonNullable<Parameters[Name]> extends Textless ? never : Name
  ]-?: MarkOf<Parameters[Name]>;
};
