/** The chain of joins chosen between two fulfillments. */
import { describe, expect, test } from 'vitest';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { parseExpression } from '../../compiler/read/expression/parse/parse.js';
import { JoinGraph } from '../../compiler/analyze/mapping/join-graph.js';
import { readJoin } from '../../compiler/analyze/mapping/written-joins.js';
import { wholeText } from '../../compiler/read/source.js';

/** A graph without mappings. */
function graph(...joins: readonly string[]): JoinGraph {
  return graphOf(joins, []);
}

function graphOf(joins: readonly string[], read: readonly string[]): JoinGraph {
  const report = new Report();
  const parsed = joins.flatMap((text) => {
    const condition = parseExpression(wholeText('config.yaml', text), { syntax: 'B' }, report);
    return (condition && readJoin(condition)) ?? [];
  });
  return new JoinGraph(parsed, new Set(read));
}

/** `a b c`: the fulfillments of a chain; `|` separates equally good chains. */
function way(joins: JoinGraph, from: string, to: string, ...around: readonly string[]): string {
  return joins
    .chains({ from }, to, around)
    .map((steps) => [from, ...steps.map((step) => step.to)].join(' '))
    .join(' | ');
}

/** Every way to write the joins: both orders of each join, and both orders of the list. */
function writings(...joins: readonly string[]): string[][] {
  const turn = (join: string): string => join.split(' == ').reverse().join(' == ');
  const written = joins.reduce<string[][]>(
    (lists, join) =>
      lists.flatMap((list) => [
        [...list, join],
        [...list, turn(join)],
      ]),
    [[]],
  );
  return written.flatMap((list) => [list, [...list].reverse()]);
}

describe('a chain of joins', () => {
  test.each(
    writings(
      'link.news == news.id',
      'link.tag == tags.id',
      'news.author == people.id',
      'tags.author == people.id',
    ),
  )('goes along joins and against them: %s, %s, %s, %s', (...joins) => {
    const link = graphOf(joins, ['link', 'news', 'people', 'tags']);
    expect(way(link, 'link', 'people')).toBe('link news people | link tags people');
    expect(way(link, 'news', 'link')).toBe('news link');
    expect(way(link, 'news', 'tags')).toBe('news link tags');
    expect(way(link, 'people', 'link')).toBe('people news link | people tags link');
  });

  test.each(writings('news.author == people.id', 'comments.author == people.id'))(
    'leads over a shared key where no mapping reads the fulfillment, or its row is there: %s, %s',
    (...joins) => {
      const read = graphOf(joins, ['news', 'comments', 'people']);
      expect(way(read, 'news', 'comments')).toBe('');
      expect(way(read, 'people', 'comments')).toBe('people comments');
      const [before] = read.chains({ from: 'news' }, 'people', [])[0] ?? [];
      const begin = { from: 'people', before };
      expect(read.chains({ ...begin, mayShare: true }, 'comments', ['news'])).toHaveLength(1);
      expect(read.chains({ ...begin, mayShare: false }, 'comments', ['news'])).toEqual([]);
      expect(read.sharedKey('news', 'comments', [])).toMatchObject({
        enter: { from: 'news', to: 'people' },
        leave: { from: 'people', to: 'comments' },
      });
      expect(way(graphOf(joins, ['news', 'comments']), 'news', 'comments')).toBe('news people comments');
    },
  );

  test.each(
    writings(
      'news.author == people.id',
      'comments.author == people.id',
      'news.id == threads.news',
      'threads.id == posts.thread',
      'posts.id == comments.post',
    ),
  )('is rather long than over a shared key: %s, %s, %s, %s, %s', (...joins) => {
    expect(way(graph(...joins), 'news', 'comments')).toBe('news threads posts comments');
    expect(way(graph(...joins), 'news', 'comments', 'posts')).toBe('news people comments');
    expect(graph(...joins).sharedKey('news', 'comments', [])).toBeUndefined();
  });

  test.each(writings('books.id == link.book', 'tags.id == link.tag'))(
    'leads over a link table from both ends: %s, %s',
    (...joins) => {
      const link = graphOf(joins, ['books', 'link', 'tags']);
      expect(way(link, 'books', 'tags')).toBe('books link tags');
      expect(way(link, 'tags', 'books')).toBe('tags link books');
    },
  );

  test.each(
    writings(
      'books.shop == link.shop',
      'books.id == link.book',
      'tags.shop == link.shop',
      'tags.id == link.tag',
    ),
  )('leads over a link table with keys of several fields: %s, %s, %s, %s', (...joins) => {
    expect(way(graphOf(joins, ['books', 'link', 'tags']), 'books', 'tags')).toBe('books link tags');
  });

  test.each(writings('a.x == link.x', 'b.x == link.x', 'b.y == link.y'))(
    'does not lead over a key that is a part of the other one: %s, %s, %s',
    (...joins) => {
      expect(way(graphOf(joins, ['a', 'b', 'link']), 'a', 'b')).toBe('');
      expect(way(graphOf(joins, ['a', 'b']), 'a', 'b')).toBe('a link b');
    },
  );

  test('is found, or the search ends, in many fulfillments that are all joined with each other', () => {
    const all = Array.from({ length: 40 }, (_, index) => `f${index}`);
    const joins = all.flatMap((a, index) => all.slice(index + 1).map((b) => `${a}.x == ${b}.x`));
    expect(way(graph(...joins), 'f0', 'f39')).toBe('f0 f39');
    // All joins share one field.
    const star = all.map((name) => `${name}.x == hub.x`);
    const ends = all.slice(1, 20).map((name) => `${name}.y == f0.y`);
    const stars = [...star, ...ends, 'far.x == hub.x'];
    expect(way(graphOf(stars, ['hub']), 'f0', 'far')).toBe('');
    expect(way(graph(...stars), 'f0', 'far')).toBe('f0 hub far');
    // Too many chains, and no chain reaches the goal.
    const fields = all.flatMap((a, index) =>
      all.slice(index + 1).map((b) => `${a}.${a}${b} == ${b}.${b}${a}`),
    );
    const far = graph(...fields.slice(0, -1), 'f39.x == g.x', 'g.x == h.x', 'h.x == far.x');
    expect(far.chains({ from: 'f0' }, 'far', [])).toEqual([[]]);
  });

  test('is the shortest one', () => {
    expect(way(graph('b.x == c.x', 'a.x == b.x', 'a.x == c.x'), 'a', 'c')).toBe('a c');
    expect(way(graph('y.k == s.k', 'd.k == y.k', 'x.s == s.k', 'x.d == d.k'), 's', 'd')).toBe('s x d');
    expect(way(graph('x.s == s.k', 'x.d == d.k', 'y.k == s.k', 'd.k == y.k'), 's', 'd')).toBe('s x d');
  });

  test('does not go through entries that are being built', () => {
    expect(way(graph('a.x == b.x', 'b.x == c.x'), 'a', 'c', 'b')).toBe('');
  });

  test.each(writings('a.x == b.x', 'b.z == c.z', 'a.y == b.w'))(
    'takes all joins between two fulfillments together: %s, %s, %s',
    (...joins) => {
      const [steps = []] = graph(...joins).chains({ from: 'b' }, 'a', []);
      expect(new Set(steps.flatMap(({ keys }) => keys))).toEqual(
        new Set([
          { from: 'x', to: 'x' },
          { from: 'w', to: 'y' },
        ]),
      );
      expect(steps.map((step) => step.joins.length)).toEqual([2]);
    },
  );
});

test('a join has a single field of a fulfillment on both sides', () => {
  const report = new Report();
  for (const text of [
    'a.x == b',
    'a.x == b.y.z',
    'a.x == b[0]',
    'a.x != b.y',
    'a.x == 1',
    'a.x',
    'a.x.size() == b.x',
  ]) {
    const condition = parseExpression(wholeText('config.yaml', text), { syntax: 'B' }, report);
    expect(condition && readJoin(condition), text).toBeUndefined();
  }
  expect(report.diagnostics).toEqual([]);
});
