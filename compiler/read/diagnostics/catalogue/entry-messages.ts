/** The structure of catalogue entries. */
import type { Span } from '../../source.js';
import type { Edit } from '../fix.js';
import type { Related, Severity } from '../diagnostic.js';
import type { Marks, MarksOf } from '../marks.js';

/** The message of an entry, with its parameters filled in. */
export interface Wording {
  readonly message: string;
  readonly hint?: string | undefined;
  /** The replacement for the diagnostic's span, if this is what the hint suggests. */
  readonly instead?: string | undefined;
  /** The replacement in YAML, with all necessary quotes. */
  readonly yamlInstead?: string | undefined;
  /** The span to replace, if it is larger than the diagnostic's span. */
  readonly insteadOf?: Span | undefined;
  /** The edits for the hint, if there are several or they are elsewhere. They never contain a secret. */
  readonly edits?: readonly Edit[] | undefined;
  /** True if other fixes are plausible, so that this one is not applied automatically. */
  readonly isSuggestion?: boolean | undefined;
  /** True if the fix depends on the operation: it is not offered if an alias uses the text in other operations, too. */
  readonly isOfOperation?: boolean | undefined;
  /** A sentence for the hint if an alias uses the text in other operations, too. */
  readonly ifShared?: string | undefined;
  /** Related positions. */
  readonly related?: readonly Related[] | undefined;
  /** Diagnostics with the same code, file and subject are merged: all but the first become related positions. */
  readonly subject?: string | undefined;
}

/** `Parameters` is empty, or a single object with the values for the wording. */
export interface Entry<Parameters extends readonly unknown[]> {
  readonly severity: Severity;
  /** True for an error that does not prevent generating the service. */
  readonly canBeLowered?: boolean;
  /** The mark of each parameter that contains text. */
  readonly marks: Marks;
  readonly wordingOf: (...parameters: Parameters) => Wording;
}

/** Creates entries with or without parameters. A text parameter without a mark fails to compile. */
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

/** An entry that always stops the build. */
export const error = makerOf({ severity: 'error' });

/** An error whose severity can be lowered, because the service can still be generated. */
export const ordinaryError = makerOf({ severity: 'error', canBeLowered: true });

/** An entry that does not stop the build by default. */
export const warning = makerOf({ severity: 'warning' });

export function didYouMean(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `Did you mean '${name}'?`;
}

/** A hint and fix with the similar name; without a similar name, the other hint. */
export function meantOr(near: string | undefined, otherwise: string): Pick<Wording, 'hint' | 'instead'> {
  return { hint: didYouMean(near) ?? otherwise, instead: near };
}

/** `first defined here` for a duplicate; empty if the first definition is unknown. */
export function firstDefinedAt(span: Span | undefined): readonly Related[] {
  return span === undefined ? [] : [{ span, message: 'first defined here' }];
}
