/** The parts of a mutant: one change of a configuration, and the ways to find all positions for it. */
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

/** Changes the configuration that it was found in. */
export type Edit = () => void;

/** One class of errors: a row of the table of silent errors. */
export interface ErrorClass {
  /** A name for the error, with an example where that is clearer. */
  readonly name: string;
  /** Every position of the configuration where it can be made. */
  readonly edits: (config: Config) => readonly Edit[];
  /** A base configuration of its own, if it cannot be made in the fixtures. */
  readonly own?: OwnBase;
}

export interface OwnBase {
  readonly config: string;
  /** Its `openapi.yaml`. */
  readonly description?: string;
}

/** A fulfillment with its operation. */
export interface FulfillmentSite {
  readonly name: string;
  readonly operation: Operation;
  readonly fulfillment: Fulfillment;
  readonly isB: boolean;
}

/** The fulfillments that pass the test, including those inside loops. */
export function fulfillmentsOf(config: Config, test: (site: FulfillmentSite) => boolean): FulfillmentSite[] {
  return operationsOf(config).flatMap(({ name, operation }) =>
    allFulfillments(operation.fulfillments)
      .map((fulfillment) => ({ name, operation, fulfillment, isB: isSyntaxB(operation) }))
      .filter(test),
  );
}

/** Whether the fulfillment is of a database. */
export function isOfDatabase(config: Config, { datasource }: Fulfillment): boolean {
  return config.datasources?.[datasource ?? '']?.type.toLowerCase() === 'db';
}

export function isRead({ type }: Fulfillment): boolean {
  return type.toUpperCase() === 'READ';
}

export function isUpdate({ type }: Fulfillment): boolean {
  return type.toUpperCase() === 'UPDATE';
}

/** One edit for each match of the pattern in the texts of these kinds; `replacement` may be undefined for a match that stays. */
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

/** The name with two characters swapped, or one doubled; never one of `others`. */
export function misspelt(name: string, others: Iterable<string> = []): string {
  const known = new Set(others);
  const middle = Math.max(1, Math.floor(name.length / 2));
  const swapped = `${name.slice(0, middle - 1)}${name[middle] ?? ''}${name[middle - 1] ?? ''}${name.slice(middle + 1)}`;
  const doubled = `${name}${name.at(-1) ?? ''}`;
  return name.length > 3 && swapped !== name && !known.has(swapped) ? swapped : doubled;
}
