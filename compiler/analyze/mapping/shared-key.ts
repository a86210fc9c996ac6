/**
 * Finds joins over a shared key: news and comments by the same author, joined by `news.author == people.id` and `comments.author ==
 * people.id`.
 */
import type { JoinStep, SharedKey } from './body-parts.js';

/**
 * The shared keys in a chain. A link table does not share a key, because the chain enters and leaves it by different fields: from books by
 * `books.id == link.book_id` and to tags by `tags.id == link.tag_id`.
 */
export function sharedKeysOf(steps: readonly JoinStep[]): SharedKey[] {
  const pairs = steps.flatMap((enter, index) =>
    steps.slice(index + 1, index + 2).map((leave): SharedKey => ({ enter, leave })),
  );
  return pairs.filter(({ enter, leave }) => {
    const entered = enter.keys.map((key) => key.to);
    const left = leave.keys.map((key) => key.from);
    return entered.every((field) => left.includes(field)) || left.every((field) => entered.includes(field));
  });
}
