/** Compares what two variants respond and change; the differences that the reference allows are listed here. */
import type { Notation } from './operation.js';

/** What is seen of one request. */
export interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  rows: string;
  /** Rows that are appended to a log, and requests to the third party, in their order. */
  log: readonly string[];
  calls: readonly string[];
}

/** "If it is not certain which value the database means, the message is general" (docs/reference/sql.md): MariaDB names more columns. */
const refusedValue = /^\{"message":"The (?:value of .*|database does not accept a value of the request)"\}$/;

/** The difference; undefined without one. `catches`: whether the operation continues after a called one has failed. */
export function difference(
  one: Seen,
  other: Seen,
  [notation, otherNotation]: readonly [Notation, Notation],
  catches: boolean,
): string | undefined {
  const shown = (seen: Seen): Seen =>
    notation.database === otherNotation.database
      ? seen
      : { ...seen, body: seen.body.replace(refusedValue, '400') };
  const differing = (['status', 'headers', 'body', 'rows'] as const).filter(
    (name) => JSON.stringify(shown(one)[name]) !== JSON.stringify(shown(other)[name]),
  );
  // Iterations that run side by side have their effects in any order; some have begun when an earlier one fails.
  const isConcurrent = [notation, otherNotation].map(({ loops }) => loops === 'concurrent');
  const effects = (['log', 'calls'] as const).filter((name) => {
    if (!isConcurrent.includes(true)) return JSON.stringify(one[name]) !== JSON.stringify(other[name]);
    const isWhole = one.status < 400 && !catches;
    if (isWhole) return JSON.stringify([...one[name]].sort()) !== JSON.stringify([...other[name]].sort());
    if (isConcurrent.every(Boolean)) return false;
    const [fewer, more] = isConcurrent[0] === true ? [other[name], one[name]] : [one[name], other[name]];
    return !isPartOf(fewer, more);
  });
  if (differing.length + effects.length === 0) return undefined;
  return [...differing, ...effects]
    .map((name) => `  ${name}: ${JSON.stringify(one[name])}\n  other: ${JSON.stringify(other[name])}`)
    .join('\n');
}

function isPartOf(fewer: readonly string[], more: readonly string[]): boolean {
  const left = [...more];
  return fewer.every((text) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}
