/** The parts of a mutant: one change of a configuration, and helpers that find all positions for it. */
import {
  allFulfillments,
  isSyntaxB,
  operationsOf,
  textsOf,
  type Config,
  type Fulfillment,
  type Operation,
  type Text,
} from './configuration.js';

/** Applies the change to the configuration in which it was found. */
export type Edit = () => void;

/** A class of errors: a row in the table of silent errors. */
export interface ErrorClass {
  /** A name for the error, with an example if that is clearer. */
  readonly name: string;
  /** Edits for all positions at which the error can be made. */
  readonly edits: (config: Config) => readonly Edit[];
  /** A separate base configuration, if the error cannot be made in the fixtures. */
  readonly own?: OwnBase;
}

export interface OwnBase {
  readonly config: string;
  /** The content of `openapi.yaml`. */
  readonly description?: string;
}

/** A fulfillment with its operation. */
export interface FulfillmentSite {
  readonly name: string;
  readonly operation: Operation;
  readonly fulfillment: Fulfillment;
  readonly isB: boolean;
}

/** The fulfillments accepted by the test, including those inside loops. */
export function fulfillmentsOf(config: Config, test: (site: FulfillmentSite) => boolean): FulfillmentSite[] {
  return operationsOf(config).flatMap(({ name, operation }) =>
    allFulfillments(operation.fulfillments)
      .map((fulfillment) => ({ name, operation, fulfillment, isB: isSyntaxB(operation) }))
      .filter(test),
  );
}

/** Whether the fulfillment uses a database. */
export function isOfDatabase(config: Config, { datasource }: Fulfillment): boolean {
  return config.datasources?.[datasource ?? '']?.type.toLowerCase() === 'db';
}

export function isRead({ type }: Fulfillment): boolean {
  return type.toUpperCase() === 'READ';
}

export function isUpdate({ type }: Fulfillment): boolean {
  return type.toUpperCase() === 'UPDATE';
}

/** An edit for each match of the pattern in strings of these kinds; if `replacement` returns undefined, the match is skipped. */
export function matches(
  config: Config,
  kinds: readonly Text['kind'][],
  pattern: RegExp,
  replacement: (match: RegExpMatchArray, text: Text) => string | undefined,
): Edit[] {
  return textsOf(config)
    .filter(({ kind }) => kinds.includes(kind))
    .flatMap((text) =>
      [...text.value.matchAll(pattern)].flatMap((match) => {
        const put = replacement(match, text);
        if (put === undefined || put === match[0]) return [];
        const { index } = match;
        return () => {
          text.set(text.value.slice(0, index) + put + text.value.slice(index + match[0].length));
        };
      }),
    );
}

/** The name with two characters swapped or one doubled; never one of `others`. */
export function misspelt(name: string, others: Iterable<string> = []): string {
  const known = new Set(others);
  const middle = Math.max(1, Math.floor(name.length / 2));
  const swapped = `${name.slice(0, middle - 1)}${name[middle] ?? ''}${name[middle - 1] ?? ''}${name.slice(middle + 1)}`;
  const doubled = `${name}${name.at(-1) ?? ''}`;
  return name.length > 3 && swapped !== name && !known.has(swapped) ? swapped : doubled;
}
