/** Compares the responses and changes of two variants; differences allowed by the reference are listed here. */
import type { Notation } from './operation.js';
import { sentTwice } from './party.js';

/** The observable effects of a request. */
export interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  rows: string;
  /** Rows appended to a log, and requests to the third party, in order. */
  log: readonly string[];
  calls: readonly string[];
}

/**
 * "If it is not certain which value the database means, the message is general" (docs/reference/sql.md): MariaDB identifies the column more
 * often.
 */
const refusedValue = /^\{"message":"The (?:value of .*|database does not accept a value of the request)"\}$/;

/** The difference; undefined if there is none. `catches`: whether the operation continues after a failure of a called one. */
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
  // Concurrent iterations and requests have their effects in any order; some may have started before an earlier one fails.
  const isConcurrent = [notation, otherNotation].map(
    ({ loops, requests }) => loops === 'concurrent' || requests === 'together',
  );
  const effects = (['log', 'calls'] as const).filter((name) => {
    if (!isConcurrent.includes(true)) return JSON.stringify(one[name]) !== JSON.stringify(other[name]);
    const [some, others] = [one, other].map((seen) => withoutTries(seen[name]));
    const isWhole = one.status < 400 && !catches;
    if (isWhole) return JSON.stringify(some?.sort()) !== JSON.stringify(others?.sort());
    if (isConcurrent.every(Boolean)) return false;
    const [fewer = [], more = []] = isConcurrent[0] === true ? [others, some] : [some, others];
    return !isPartOf(fewer, more);
  });
  if (differing.length + effects.length === 0) return undefined;
  return [...differing, ...effects]
    .map((name) => `  ${name}: ${JSON.stringify(one[name])}\n  other: ${JSON.stringify(other[name])}`)
    .join('\n');
}

/** The effects without further tries of the same request. */
function withoutTries(effects: readonly string[]): string[] {
  return effects.filter((text, at) => !sentTwice.test(text) || effects.indexOf(text) === at);
}

function isPartOf(fewer: readonly string[], more: readonly string[]): boolean {
  const left = [...more];
  return fewer.every((text) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}
