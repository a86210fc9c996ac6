/** The shape of an entry of the catalogue. */
import type { Span } from '../../source.js';
import type { Edit } from '../fix.js';
import type { Related, Severity } from '../diagnostic.js';
import type { Marks, MarksOf } from '../marks.js';

/** The message of an entry with its parameters. */
export interface Wording {
  readonly message: string;
  readonly hint?: string | undefined;
  /** The replacement of the span of the diagnostic, if the hint names exactly that. */
  readonly instead?: string | undefined;
  /** The replacement as YAML, with the quotes that it needs. */
  readonly yamlInstead?: string | undefined;
  /** Where to write it, if it is more than the span of the diagnostic. */
  readonly insteadOf?: Span | undefined;
  /** The edits of the hint, if it needs several, or one elsewhere. They never contain a secret. */
  readonly edits?: readonly Edit[] | undefined;
  /** Whether something else could be meant, too: then nothing is changed without a question. */
  readonly isSuggestion?: boolean | undefined;
  /** Whether it depends on the operation: there is no fix if an alias uses the text in other operations, too. */
  readonly isOfOperation?: boolean | undefined;
  /** Related positions. */
  readonly related?: readonly Related[] | undefined;
  /** Diagnostics of one code and file with the same subject become one: the others are related positions of the first. */
  readonly subject?: string | undefined;
}

/** `Parameters` is empty, or one object with the values for the wording. */
export interface Entry<Parameters extends readonly unknown[]> {
  readonly severity: Severity;
  /** True for an error that the service can be generated with all the same. */
  readonly canBeLowered?: boolean;
  /** The mark of each parameter that holds text. */
  readonly marks: Marks;
  readonly wordingOf: (...parameters: Parameters) => Wording;
}

/** Makes entries with or without parameters. A parameter that contains text but has no mark does not compile. */
function makerOf(traits: Pick<Entry<[]>, 'severity' | 'canBeLowered'>) {
  function make(wordingOf: () => Wording): Entry<[]>;
  function make<Parameters extends object>(
    marks: MarksOf<NoInfer<Parameters>>,
    wordingOf: (parameters: Parameters) => Wording,
  ): Entry<[Parameters]>;
  function make(
    ...given: readonly [() => Wording] | readonly [Marks, (parameters: never) => Wording]
  ): Entry<[]> | Entry<[never]> {
    if (given.length === 1) return { ...traits, marks: {}, wordingOf: given[0] };
    return { ...traits, marks: given[0], wordingOf: given[1] };
  }
  return make;
}

/** An entry that stops the build. */
export const error = makerOf({ severity: 'error' });

/** An error that can be lowered: the service could be generated in spite of it. */
export const ordinaryError = makerOf({ severity: 'error', canBeLowered: true });

/** An entry that does not stop the build. */
export const warning = makerOf({ severity: 'warning' });

export function didYouMean(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `Did you mean '${name}'?`;
}

/** The hint and the fix if a name is similar to the written one; otherwise another hint. */
export function meantOr(near: string | undefined, otherwise: string): Pick<Wording, 'hint' | 'instead'> {
  return { hint: didYouMean(near) ?? otherwise, instead: near };
}

/** `first defined here` for a duplicate; nothing where the first definition is not known. */
export function firstDefinedAt(span: Span | undefined): readonly Related[] {
  return span === undefined ? [] : [{ span, message: 'first defined here' }];
}
