/** Which chain of joins leads from one fulfillment to another. */
import { describe, expect, test } from 'vitest';
import { Report } from '../../compiler/diagnostics/report.js';
import { parseExpression } from '../../compiler/expression/parse.js';
import { JoinGraph } from '../../compiler/mapping/join-graph.js';
import { readJoin } from '../../compiler/mapping/written-joins.js';
import { wholeText } from '../../compiler/source.js';

function graph(...joins: readonly string[]): JoinGraph {
  const report = new Report();
  return new JoinGraph(
    joins.flatMap((text) => {
      const condition = parseExpression(wholeText('config.yaml', text), 'B', report);
      return (condition && readJoin(condition)) ?? [];
    }),
  );
}

/** `a b c`: the fulfillments on the way; `?` where another way is as good. */
function way(joins: JoinGraph, from: string, to: string, ...around: readonly string[]): string | undefined {
  const chain = joins.chain(from, to, around);
  return chain && [from, ...chain.steps.map((step) => step.to)].join(' ') + (chain.isAmbiguous ? ' ?' : '');
}

describe('a chain of joins', () => {
  const link = graph(
    'link.news == news.id',
    'link.tag == tags.id',
    'news.author == people.id',
    'tags.author == people.id',
  );

  test('goes along the written direction, or against it', () => {
    expect(way(link, 'link', 'people')).toBe('link news people ?');
    expect(way(link, 'news', 'link')).toBe('news link');
    expect(way(link, 'news', 'tags')).toBe('news link tags');
    expect(way(link, 'people', 'link')).toBe('people news link ?');
  });

  test('does not lead over entries that two joins meet in, in the same field', () => {
    const shared = graph('news.author == people.id', 'comments.author == people.id');
    expect(way(shared, 'news', 'comments')).toBeUndefined();
    expect(way(shared, 'people', 'comments')).toBe('people comments');
    const turned = graph('people.id == news.author', 'people.id == comments.author');
    expect(way(turned, 'news', 'comments')).toBeUndefined();
    // Each news carries its author, each author their comments.
    expect(way(graph('news.author == people.id', 'people.id == comments.author'), 'news', 'comments')).toBe(
      'news people comments',
    );
  });

  test('leads over a link table, whichever way its joins are written', () => {
    const written = [
      ['books.id == link.book', 'tags.id == link.tag'],
      ['books.id == link.book', 'link.tag == tags.id'],
      ['link.book == books.id', 'tags.id == link.tag'],
      ['link.book == books.id', 'link.tag == tags.id'],
    ];
    for (const joins of written) {
      expect(way(graph(...joins), 'books', 'tags')).toBe('books link tags');
      expect(way(graph(...joins), 'tags', 'books')).toBe('tags link books');
    }
    // One with a key of several fields.
    const shops = [
      'books.shop == link.shop',
      'books.id == link.book',
      'tags.shop == link.shop',
      'tags.id == link.tag',
    ];
    expect(way(graph(...shops), 'books', 'tags')).toBe('books link tags');
    // What is joined by the same field and one more belongs to the same entries.
    const more = ['a.x == link.x', 'b.x == link.x', 'b.y == link.y'];
    expect(way(graph(...more), 'a', 'b')).toBeUndefined();
  });

  test('is found, or the search ends, in many fulfillments that are all joined with each other', () => {
    const all = Array.from({ length: 40 }, (_, index) => `f${index}`);
    const joins = all.flatMap((a, index) => all.slice(index + 1).map((b) => `${a}.x == ${b}.x`));
    expect(way(graph(...joins), 'f0', 'f39')).toBe('f0 f39');
    // All meet in one field, so that nothing leads on.
    const star = all.map((name) => `${name}.x == hub.x`);
    expect(
      way(
        graph(...star, ...all.slice(1, 20).map((name) => `${name}.y == f0.y`), 'far.x == hub.x'),
        'f0',
        'far',
      ),
    ).toBeUndefined();
  });

  test('is the shortest one, and of several the one with the fewest joins against their direction', () => {
    expect(way(graph('b.x == c.x', 'a.x == b.x', 'a.x == c.x'), 'a', 'c')).toBe('a c');
    expect(way(graph('y.k == s.k', 'd.k == y.k', 'x.s == s.k', 'x.d == d.k'), 's', 'd')).toBe('s x d');
    expect(way(graph('x.s == s.k', 'x.d == d.k', 'y.k == s.k', 'd.k == y.k'), 's', 'd')).toBe('s x d');
  });

  test('does not go through entries that are being built', () => {
    expect(way(graph('a.x == b.x', 'b.x == c.x'), 'a', 'c', 'b')).toBeUndefined();
  });

  test('takes all joins between two fulfillments together', () => {
    const chain = graph('a.x == b.x', 'b.z == c.z', 'a.y == b.w').chain('b', 'a', []);
    expect(chain?.steps.map(({ keys, joins }) => ({ keys, joins: joins.length }))).toEqual([
      {
        keys: [
          { from: 'x', to: 'x' },
          { from: 'w', to: 'y' },
        ],
        joins: 2,
      },
    ]);
  });
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
    const condition = parseExpression(wholeText('config.yaml', text), 'B', report);
    expect(condition && readJoin(condition), text).toBeUndefined();
  }
  expect(report.diagnostics).toEqual([]);
});
