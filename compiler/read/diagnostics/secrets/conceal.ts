/** Removes secrets from the parameters of messages. */
import type { Span } from '../../source.js';
import { Words, type Mark, type Marks, type TextMark } from '../marks.js';
import { isOwnWord } from './secret-words.js';
import { secretsOf, type Secrets } from './secrets.js';

/** The text that replaces a secret. */
export const concealed = '…';

/**
 * The parameters of a message about the span, with secrets concealed according to their marks. If the span touches a secret value, only
 * text that is certainly not part of the secret is kept; otherwise, and in hints that have edits, secret words become asterisks.
 */
export function conceal<T extends readonly unknown[]>(parameters: T, marks: Marks, span: Span): T {
  const secrets = secretsOf(span.source);
  const shownOf = secrets.touches(span) ? ofValue(secrets) : starred(secrets);
  const changed = parameters.map((parameter) => changedIn(parameter, marks, shownOf));
  return changed as readonly unknown[] as T;
}

/** The displayable form of a text; undefined to omit it. */
type ShownOf = (text: string, mark: TextMark) => string | undefined;

function changedIn(value: unknown, mark: Mark | undefined, shownOf: ShownOf): unknown {
  if (mark === undefined || mark === 'word' || mark === 'fact' || mark instanceof Words) return value;
  if (Array.isArray(value) || value instanceof Set) {
    const items = [...value].flatMap((item: unknown) => {
      const changed = changedIn(item, mark, shownOf);
      // In lists, secrets are removed instead of replaced.
      return changed === concealed ? [] : [changed];
    });
    return Array.isArray(value) ? items : new Set(items);
  }
  if (typeof mark === 'string') return typeof value === 'string' ? shownOf(value, mark) : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]: [string, unknown]) => [
      name,
      changedIn(field, Object.hasOwn(mark, name) ? mark[name] : undefined, shownOf),
    ]),
  );
}

function withStars(text: string, secrets: Secrets): string {
  return text.replaceAll(/[\p{L}\p{N}_]{4,}/gu, (word) =>
    secrets.isHidden(word) && !isOwnWord(word) ? '*'.repeat(word.length) : word,
  );
}

function ofValue(secrets: Secrets): ShownOf {
  const isCertain = (text: string): boolean =>
    !/[\p{L}\p{N}]/u.test(text) || isOwnWord(text) || secrets.isName(text);
  return (text, mark) => {
    if (mark === 'rewriting') return withStars(text, secrets);
    if (mark === 'sentence') return withoutQuoted(text, isCertain);
    if (isCertain(text) || (mark === 'reference' && /^[A-Z][A-Z0-9_]*$/.test(text))) return text;
    if (mark === 'suggestion') return undefined;
    return mark === 'quoted' ? `'${concealed}'` : concealed;
  };
}

/** The sentence without quoted parts that could be secret. */
function withoutQuoted(sentence: string, isCertain: (text: string) => boolean): string {
  const [first = '', ...others] = sentence.split("'");
  // With an odd number of quotes, a name contains a quote and its end is unknown.
  if (others.length % 2 === 1) return others.length === 1 ? sentence : `${first}'${concealed}'`;
  return [
    first,
    ...others.map((part, index) => (index % 2 === 1 || isCertain(part) ? part : concealed)),
  ].join("'");
}

function starred(secrets: Secrets): ShownOf {
  return (text, mark) => (mark === 'sentence' ? text : withStars(text, secrets));
}
