/** Which chain of joins leads from one fulfillment to another. */
import { describe, expect, test } from 'vitest';
import { Report } from '../../compiler/diagnostics/report.js';
import { parseExpression } from '../../compiler/expression/parse.js';
import { JoinGraph, readJoin } from '../../compiler/mapping/join.js';
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

  test('goes along the written direction, or begins against it', () => {
    expect(way(link, 'link', 'people')).toBe('link news people ?');
    expect(way(link, 'news', 'link')).toBe('news link');
    expect(way(link, 'news', 'tags')).toBe('news link tags');
    expect(way(link, 'people', 'link')).toBe('people news link ?');
  });

  test('does not lead over entries that two joins point to', () => {
    const shared = graph('news.author == people.id', 'comments.author == people.id');
    expect(way(shared, 'news', 'comments')).toBeUndefined();
    expect(way(shared, 'people', 'comments')).toBe('people comments');
  });

  test('is the shortest one, and of several the one with the fewest joins against their direction', () => {
    expect(way(graph('b.x == c.x', 'a.x == b.x', 'a.x == c.x'), 'a', 'c')).toBe('a c');
    expect(way(graph('y.k == s.k', 'd.k == y.k', 'x.k == s.k', 'x.k == d.k'), 's', 'd')).toBe('s x d');
    expect(way(graph('x.k == s.k', 'x.k == d.k', 'y.k == s.k', 'd.k == y.k'), 's', 'd')).toBe('s x d');
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
