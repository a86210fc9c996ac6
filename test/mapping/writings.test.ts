/** All ways to write a set of joins have the same meaning: on either side of `==`, at either of the two fulfillments, in any order. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, Row } from '../../runtime/handler/json.js';
import { NestedLoops, type PlainJoin, type PlainModel, type Results } from './nested-loops.js';
import { outcomesOf } from './outcomes.js';
import { modelsIn, type WrittenJoin } from './plain-config.js';
import { handlerOf } from './run-handler.js';
import { manyRuns } from '../helpers/runs.js';

/** `title: 'books.title!'`: a field of the model, and the field that it is mapped to; `!` if it is never null. */
type Fields = Readonly<Record<string, string>>;

function model(name: string, fields: Fields, inner: PlainModel['inner'] = []): PlainModel {
  const entries = Object.entries(fields);
  const counts = entries.filter(([, of]) => of.endsWith('.size()'));
  return {
    name,
    fields: entries
      .filter((entry) => !counts.includes(entry))
      .map(([key, value]) => {
        const [of = '', field = ''] = value.replace('!', '').split('.');
        return { key, of, field, notNull: value.endsWith('!') };
      }),
    counts: counts.map(([key, value]) => ({ key, of: value.replace('.size()', '') })),
    inner,
  };
}

const list = (key: string, inner: PlainModel): PlainModel['inner'][number] => ({
  key,
  isList: true,
  model: inner,
});
const one = (key: string, inner: PlainModel): PlainModel['inner'][number] => ({
  key,
  isList: false,
  model: inner,
});

function joinOf(text: string): PlainJoin {
  const [left = '', leftField = '', right = '', rightField = ''] = text.split(/\.| == /);
  return { left, leftField, right, rightField };
}

/**
 * All sides and positions of the joins, each with a different order of the list. For more than four joins (three in `npm test`) only some
 * of them, unless MANY_RUNS=1 is set.
 */
function writingsOf(joins: readonly string[]): WrittenJoin[][] {
  const ways = joins.map(joinOf).map(({ left, leftField, right, rightField }) => {
    const turned = { left: right, leftField: rightField, right: left, rightField: leftField };
    const written = [{ left, leftField, right, rightField }, turned];
    return written.flatMap((join) => [
      { ...join, isAtLeft: true },
      { ...join, isAtLeft: false },
    ]);
  });
  const all = ways.reduce<WrittenJoin[][]>(
    (writings, way) => writings.flatMap((writing) => way.map((join) => [...writing, join])),
    [[]],
  );
  const step = manyRuns ? 1 : [1, 1, 1, 1, 7, 27][joins.length];
  const some = all.filter((_, index) => index % (step ?? 107) === 0);
  return some.map((writing, index) => permuted(writing, index));
}

/** The permutation with the given index. */
function permuted<Item>(items: readonly Item[], index: number): Item[] {
  const left = [...items];
  let rest = index;
  return items.map(() => {
    const [item] = left.splice(rest % left.length, 1);
    rest = Math.floor(rest / (left.length + 1));
    return item as Item;
  });
}

interface Case {
  readonly name: string;
  readonly joins: readonly string[];
  readonly root: PlainModel;
  /** Whether the response is a list of the model instead of a single one. */
  readonly isList?: boolean;
  /** Codes of the diagnostics. */
  readonly codes?: readonly string[];
  /** Rows, and the body that users would expect without knowing the rules. */
  readonly rows?: Results;
  readonly body?: Json;
}

const shop = {
  books: [
    { id: 1, title: 'Clay', author_id: 1 },
    { id: 2, title: 'Fire', author_id: 2 },
  ],
  reviews: [
    { id: 71, book_id: 1, text: 'good' },
    { id: 72, book_id: 2, text: 'bad' },
    { id: 73, book_id: 2, text: 'so so' },
  ],
  covers: [{ book_id: 1, url: 'a.png' }],
};

const library = {
  authors: [
    { id: 1, name: 'Ada' },
    { id: 2, name: 'Bo' },
    { id: 3, name: 'Cy' },
  ],
  wrote: [
    { author_id: 1, book_id: 1 },
    { author_id: 1, book_id: 2 },
    { author_id: 2, book_id: 2 },
  ],
  books: [
    { id: 1, title: 'Clay' },
    { id: 2, title: 'Fire' },
  ],
  tagged: [
    { book_id: 1, tag_id: 1 },
    { book_id: 1, tag_id: 2 },
    { book_id: 2, tag_id: 2 },
  ],
  tags: [
    { id: 1, label: 'old' },
    { id: 2, label: 'red' },
    { id: 3, label: 'new' },
  ],
};

const paper = {
  news: [
    { id: 1, title: 'Lit', author_id: 1 },
    { id: 2, title: 'Out', author_id: 2 },
  ],
  people: [
    { id: 1, name: 'Ada' },
    { id: 2, name: 'Bo' },
  ],
  comments: [
    { news_id: 1, author_id: 2, text: 'Warm' },
    { news_id: 1, author_id: 1, text: 'Thanks' },
    { news_id: 2, author_id: 2, text: 'Cold' },
  ],
};

const sharedKey = ['reviews.book_id == books.id', 'reviews.book_id == covers.book_id'];
const twoLinks = [
  'authors.id == wrote.author_id',
  'wrote.book_id == books.id',
  'books.id == tagged.book_id',
  'tagged.tag_id == tags.id',
];
const hub = ['news.author_id == people.id', 'comments.author_id == people.id'];
const triangle = [...hub, 'comments.news_id == news.id'];

const taggedBook = model('Book', { id: 'books.id!', title: 'books.title!', tag: 'tags.label' });
const commentWithName = model('Comment', { text: 'comments.text!', author: 'people.name!' });

const cases: readonly Case[] = [
  {
    name: 'a shared key, in a list',
    joins: sharedKey,
    isList: true,
    root: model('Book', { id: 'books.id!', count: 'reviews.size()' }, [
      list('reviews', model('Review', { id: 'reviews.id!', text: 'reviews.text!', cover: 'covers.url' })),
      // Variants of the model, with the other fulfillment mapped first, and with non-nullable fields.
      list('turned', model('Turned', { cover: 'covers.url', id: 'reviews.id' })),
      list('covered', model('Covered', { cover: 'covers.url!', id: 'reviews.id!' })),
      one('first', model('First', { id: 'reviews.id!', cover: 'covers.url' })),
    ]),
    rows: shop,
    body: [
      {
        id: 1,
        count: 1,
        reviews: [{ id: 71, text: 'good', cover: 'a.png' }],
        turned: [{ cover: 'a.png', id: 71 }],
        covered: [{ cover: 'a.png', id: 71 }],
        first: { id: 71, cover: 'a.png' },
      },
      {
        id: 2,
        count: 2,
        reviews: [
          { id: 72, text: 'bad', cover: null },
          { id: 73, text: 'so so', cover: null },
        ],
        turned: [
          { cover: null, id: 72 },
          { cover: null, id: 73 },
        ],
        covered: [],
        first: { id: 72, cover: null },
      },
    ],
  },
  {
    name: 'a shared key, in one object',
    joins: sharedKey,
    root: model('Book', { id: 'books.id!' }, [
      list('reviews', model('Review', { id: 'reviews.id!', cover: 'covers.url' })),
    ]),
    rows: { ...shop, books: shop.books.slice(1) },
    body: {
      id: 2,
      reviews: [
        { id: 72, cover: null },
        { id: 73, cover: null },
      ],
    },
  },
  {
    // With the joins of `links`, covers are farther than reviews; without them, both are equally near. So these joins are not reported as
    // unused.
    name: 'a shared key, in one object, and a bridge to a farther fulfillment',
    joins: [...sharedKey, 'links.isbn == books.isbn', 'covers.isbn == links.isbn'],
    root: model('Book', { id: 'books.id!' }, [
      one('review', model('Review', { cover: 'covers.url', text: 'reviews.text' })),
    ]),
    rows: { ...shop, books: shop.books.slice(1), links: [] },
    body: { id: 2, review: { cover: null, text: 'bad' } },
  },
  {
    name: 'a star',
    joins: ['reviews.book_id == books.id', 'covers.book_id == books.id', 'books.author_id == people.id'],
    isList: true,
    root: model('Book', { id: 'books.id!', author: 'people.name' }, [
      list('reviews', model('Review', { id: 'reviews.id!', cover: 'covers.url' })),
      one('cover', model('Cover', { url: 'covers.url' })),
    ]),
    rows: { ...shop, people: [{ id: 2, name: 'Bo' }] },
    body: [
      { id: 1, author: null, reviews: [{ id: 71, cover: 'a.png' }], cover: { url: 'a.png' } },
      {
        id: 2,
        author: 'Bo',
        reviews: [
          { id: 72, cover: null },
          { id: 73, cover: null },
        ],
        cover: null,
      },
    ],
  },
  {
    name: 'a chain over three levels',
    joins: [
      'orders.customer_id == customers.id',
      'shipments.order_id == orders.id',
      'shipments.id == parts.in',
    ],
    isList: true,
    root: model('Customer', { id: 'customers.id!', parts: 'parts.size()' }, [
      list(
        'orders',
        model('Order', { id: 'orders.id!' }, [
          list('shipments', model('Shipment', { id: 'shipments.id!', name: 'customers.name' })),
          list('parts', model('Part', { part: 'parts.name', shipment: 'shipments.id' })),
        ]),
      ),
      one('lastPart', model('LastPart', { part: 'parts.name' })),
    ]),
    rows: {
      customers: [
        { id: 1, name: 'Ada' },
        { id: 2, name: 'Bo' },
      ],
      orders: [
        { id: 11, customer_id: 1 },
        { id: 12, customer_id: 2 },
        { id: 13, customer_id: 1 },
      ],
      shipments: [
        { id: 21, order_id: 12 },
        { id: 22, order_id: 11 },
        { id: 23, order_id: 11 },
      ],
      parts: [
        { in: 23, name: 'lid' },
        { in: 21, name: 'cup' },
        { in: 22, name: 'pot' },
      ],
    },
    body: [
      {
        id: 1,
        parts: 2,
        orders: [
          {
            id: 11,
            shipments: [
              { id: 22, name: 'Ada' },
              { id: 23, name: 'Ada' },
            ],
            parts: [
              { part: 'pot', shipment: 22 },
              { part: 'lid', shipment: 23 },
            ],
          },
          { id: 13, shipments: [], parts: [] },
        ],
        lastPart: { part: 'lid' },
      },
      {
        id: 2,
        parts: 1,
        orders: [{ id: 12, shipments: [{ id: 21, name: 'Bo' }], parts: [{ part: 'cup', shipment: 21 }] }],
        lastPart: { part: 'cup' },
      },
    ],
  },
  {
    name: 'a link table from both ends',
    joins: ['books.id == tagged.book_id', 'tags.id == tagged.tag_id'],
    isList: true,
    root: model('Book', { id: 'books.id!', count: 'tags.size()' }, [
      list('tags', model('Tag', { label: 'tags.label!' })),
      list('links', model('Link', { label: 'tags.label', tag: 'tagged.tag_id!' })),
    ]),
    rows: library,
    body: [
      {
        id: 1,
        count: 2,
        tags: [{ label: 'old' }, { label: 'red' }],
        links: [
          { label: 'old', tag: 1 },
          { label: 'red', tag: 2 },
        ],
      },
      { id: 2, count: 1, tags: [{ label: 'red' }], links: [{ label: 'red', tag: 2 }] },
    ],
  },
  {
    name: 'a flat model over two link tables',
    joins: twoLinks,
    isList: true,
    root: model('Author', { name: 'authors.name!', count: 'books.size()' }, [list('books', taggedBook)]),
    rows: library,
    body: [
      {
        name: 'Ada',
        count: 2,
        books: [
          { id: 1, title: 'Clay', tag: 'old' },
          { id: 1, title: 'Clay', tag: 'red' },
          { id: 2, title: 'Fire', tag: 'red' },
        ],
      },
      { name: 'Bo', count: 1, books: [{ id: 2, title: 'Fire', tag: 'red' }] },
      { name: 'Cy', count: 0, books: [] },
    ],
  },
  {
    name: 'two link tables, the field of the second one mapped first',
    joins: twoLinks,
    isList: true,
    root: model('Author', { name: 'authors.name!' }, [
      list('books', model('Book', { tag: 'tags.label!', title: 'books.title!' })),
    ]),
    rows: library,
    body: [
      {
        name: 'Ada',
        books: [
          { tag: 'old', title: 'Clay' },
          { tag: 'red', title: 'Clay' },
          { tag: 'red', title: 'Fire' },
        ],
      },
      { name: 'Bo', books: [{ tag: 'red', title: 'Fire' }] },
      { name: 'Cy', books: [] },
    ],
  },
  {
    name: 'two link tables, level by level',
    joins: twoLinks,
    root: model('Author', { name: 'authors.name!' }, [
      list(
        'books',
        model('Book', { title: 'books.title!' }, [list('tags', model('Tag', { label: 'tags.label' }))]),
      ),
    ]),
    rows: library,
    body: {
      name: 'Ada',
      books: [
        { title: 'Clay', tags: [{ label: 'old' }, { label: 'red' }] },
        { title: 'Fire', tags: [{ label: 'red' }] },
      ],
    },
  },
  {
    name: 'two link tables, with nothing mapped from what is between them',
    joins: twoLinks,
    isList: true,
    root: model('Author', { name: 'authors.name!' }, [list('tags', model('Tag', { label: 'tags.label' }))]),
    rows: library,
    body: [
      { name: 'Ada', tags: [{ label: 'old' }, { label: 'red' }] },
      { name: 'Bo', tags: [{ label: 'red' }] },
      { name: 'Cy', tags: [] },
    ],
  },
  {
    name: 'two link tables, with a model of what is between them: the missing join is shown',
    joins: twoLinks,
    isList: true,
    root: model('Author', { name: 'authors.name!' }, [
      list('tags', model('Tag', { label: 'tags.label' })),
      list('books', model('Book', { title: 'books.title' })),
    ]),
    codes: ['join-missing', 'join-never-used', 'join-never-used'],
  },
  {
    name: 'a key of two fields',
    joins: ['lines.shop == orders.shop', 'lines.number == orders.number', 'lines.item == items.id'],
    isList: true,
    root: model('Order', { number: 'orders.number!' }, [
      list('lines', model('Line', { item: 'items.name', amount: 'lines.amount!' })),
    ]),
    rows: {
      orders: [
        { shop: 1, number: 1 },
        { shop: 2, number: 1 },
      ],
      lines: [
        { shop: 2, number: 1, item: 7, amount: 3 },
        { shop: 1, number: 2, item: 7, amount: 4 },
        { shop: 1, number: 1, item: 8, amount: 5 },
      ],
      items: [{ id: 7, name: 'cup' }],
    },
    body: [
      { number: 1, lines: [{ item: null, amount: 5 }] },
      { number: 1, lines: [{ item: 'cup', amount: 3 }] },
    ],
  },
  {
    name: 'a link table with a key of two fields',
    joins: [
      'link.shop == a.shop',
      'link.number == a.number',
      'link.shop == b.shop',
      'link.other == b.number',
    ],
    isList: true,
    root: model('A', { number: 'a.number!' }, [list('bs', model('B', { number: 'b.number' }))]),
    rows: {
      a: [
        { shop: 1, number: 1 },
        { shop: 2, number: 1 },
      ],
      b: [
        { shop: 1, number: 5 },
        { shop: 2, number: 5 },
      ],
      link: [{ shop: 2, number: 1, other: 5 }],
    },
    body: [
      { number: 1, bs: [] },
      { number: 1, bs: [{ number: 5 }] },
    ],
  },
  {
    name: 'comments and news of the same authors',
    joins: triangle,
    isList: true,
    root: model('News', { title: 'news.title!' }, [
      one('author', model('Person', { name: 'people.name' })),
      list('comments', commentWithName),
    ]),
    rows: paper,
    body: [
      {
        title: 'Lit',
        author: { name: 'Ada' },
        comments: [
          { text: 'Warm', author: 'Bo' },
          { text: 'Thanks', author: 'Ada' },
        ],
      },
      { title: 'Out', author: { name: 'Bo' }, comments: [{ text: 'Cold', author: 'Bo' }] },
    ],
  },
  {
    name: 'a model that appears twice',
    joins: triangle,
    isList: true,
    root: model('News', { title: 'news.title!', author: 'people.name' }, [
      list(
        'comments',
        model('Comment', { text: 'comments.text!' }, [
          one('author', model('Person', { name: 'people.name' })),
        ]),
      ),
      one('by', model('Person', { name: 'people.name' })),
    ]),
    rows: paper,
    body: [
      {
        title: 'Lit',
        author: 'Ada',
        comments: [
          { text: 'Warm', author: { name: 'Bo' } },
          { text: 'Thanks', author: { name: 'Ada' } },
        ],
        by: { name: 'Ada' },
      },
      {
        title: 'Out',
        author: 'Bo',
        comments: [{ text: 'Cold', author: { name: 'Bo' } }],
        by: { name: 'Bo' },
      },
    ],
  },
  {
    name: 'comments of one news, which its SQL selects',
    joins: hub,
    root: model('News', { title: 'news.title!' }, [
      one('author', model('Person', { name: 'people.name' })),
      list('comments', commentWithName),
    ]),
    rows: { ...paper, comments: paper.comments.slice(0, 2) },
    body: {
      title: 'Lit',
      author: { name: 'Ada' },
      comments: [
        { text: 'Warm', author: 'Bo' },
        { text: 'Thanks', author: 'Ada' },
      ],
    },
  },
  {
    name: 'comments of one news that has the name of its author',
    joins: hub,
    root: model('News', { title: 'news.title!', author: 'people.name' }, [
      list('comments', model('Comment', { author: 'people.name!', text: 'comments.text!' })),
    ]),
    rows: { ...paper, comments: paper.comments.slice(0, 2) },
    body: {
      title: 'Lit',
      author: 'Ada',
      comments: [
        { author: 'Bo', text: 'Warm' },
        { author: 'Ada', text: 'Thanks' },
      ],
    },
  },
  {
    name: 'comments that no join reaches',
    joins: hub,
    isList: true,
    root: model('News', { title: 'news.title!' }, [
      one('author', model('Person', { name: 'people.name' })),
      list('comments', model('Comment', { text: 'comments.text!' })),
    ]),
    codes: ['join-missing', 'join-never-used'],
  },
  {
    name: 'rows of an object that it is itself built from',
    joins: ['books.id == wrote.book_id', 'wrote.author_id == authors.id', 'prizes.author_id == authors.id'],
    isList: true,
    root: model('Book', { title: 'books.title!', author: 'authors.name' }, [
      list('prizes', model('Prize', { prize: 'prizes.name!', author: 'authors.name' })),
    ]),
    rows: { ...library, prizes: [{ author_id: 2, name: 'Kiln' }] },
    body: [
      { title: 'Clay', author: 'Ada', prizes: [] },
      { title: 'Fire', author: 'Ada', prizes: [] },
      { title: 'Fire', author: 'Bo', prizes: [{ prize: 'Kiln', author: 'Bo' }] },
    ],
  },
  {
    name: 'what a row of the object leads on to',
    joins: ['orders.customer_id == customers.id', 'customers.city_id == cities.id'],
    isList: true,
    root: model('Order', { id: 'orders.id!', customer: 'customers.name' }, [
      one('to', model('Address', { city: 'cities.name!', name: 'customers.name' })),
      list('all', model('Address', { city: 'cities.name!', name: 'customers.name' })),
    ]),
    rows: {
      orders: [{ id: 1, customer_id: 2 }],
      customers: [
        { id: 1, name: 'Ada', city_id: 7 },
        { id: 2, name: 'Bo', city_id: 7 },
      ],
      cities: [{ id: 7, name: 'Ulm' }],
    },
    body: [{ id: 1, customer: 'Bo', to: { city: 'Ulm', name: 'Bo' }, all: [{ city: 'Ulm', name: 'Bo' }] }],
  },
  {
    name: 'rows of one table in two fulfillments',
    joins: ['people.boss_id == bosses.id', 'people.id == links.from_id', 'links.to_id == friends.id'],
    isList: true,
    root: model('Person', { name: 'people.name!', boss: 'bosses.name' }, [
      list('friends', model('Friend', { name: 'friends.name!' })),
    ]),
    rows: {
      people: [
        { id: 1, name: 'Ada', boss_id: null },
        { id: 2, name: 'Bo', boss_id: 1 },
      ],
      bosses: [
        { id: 1, name: 'Ada' },
        { id: 2, name: 'Bo' },
      ],
      links: [{ from_id: 1, to_id: 2 }],
      friends: [
        { id: 1, name: 'Ada' },
        { id: 2, name: 'Bo' },
      ],
    },
    body: [
      { name: 'Ada', boss: null, friends: [{ name: 'Bo' }] },
      { name: 'Bo', boss: 'Ada', friends: [] },
    ],
  },
  {
    name: 'a link table with both ends in one fulfillment',
    joins: ['people.id == links.from_id', 'people.id == links.to_id'],
    isList: true,
    root: model('Person', { name: 'people.name!' }, [list('links', model('Link', { to: 'links.to_id!' }))]),
    codes: ['key-joined-twice'],
  },
  {
    name: 'the same join twice',
    joins: ['orders.customer_id == customers.id', 'customers.id == orders.customer_id'],
    isList: true,
    root: model('Customer', { id: 'customers.id!' }, [list('orders', model('Order', { id: 'orders.id!' }))]),
  },
  {
    name: 'two chains of the same length',
    joins: ['s.id == x.s_id', 'x.d_id == d.id', 's.id == y.s_id', 'y.d_id == d.id'],
    isList: true,
    root: model('S', { id: 's.id!' }, [list('ds', model('D', { id: 'd.id!' }))]),
    codes: ['ambiguous-join'],
  },
  {
    name: 'two chains of the same length, one of them over what the model maps',
    joins: ['s.id == x.s_id', 'x.d_id == d.id', 's.id == y.s_id', 'y.d_id == d.id'],
    isList: true,
    root: model('S', { id: 's.id!' }, [list('ds', model('D', { id: 'd.id!', note: 'y.note' }))]),
    codes: ['join-never-used', 'join-never-used'],
    rows: {
      s: [{ id: 1 }, { id: 2 }],
      d: [{ id: 5 }, { id: 6 }],
      x: [{ s_id: 1, d_id: 6 }],
      y: [
        { s_id: 1, d_id: 5, note: 'a' },
        { s_id: 2, d_id: 5, note: 'b' },
      ],
    },
    body: [
      { id: 1, ds: [{ id: 5, note: 'a' }] },
      { id: 2, ds: [{ id: 5, note: 'b' }] },
    ],
  },
  {
    name: 'six joins, and a shortest chain that passes a row of the object or not',
    joins: ['c.y == b.z', 'c.x == b.y', 'c.z == a.z', 'e.z == b.x', 'e.y == c.z', 'b.y == a.x'],
    codes: ['list-around'],
    root: model('M', { f0: 'a.z!', f1: 'c.y', f2: 'd.z' }, [
      list(
        'm0',
        model('M0', { f0: 'd.x', f1: 'e.y!', f2: 'c.x' }, [
          one(
            'm0',
            model('M00', { f0: 'c.z', f1: 'b.x', f2: 'e.y!' }, [
              one('m0', model('M000', { f0: 'e.y!', f1: 'e.z', f2: 'a.z!', n0: 'a.size()' })),
              one('m1', model('M001', { f0: 'b.y!', f1: 'b.z!', f2: 'a.z!', n0: 'd.size()' })),
            ]),
          ),
          list(
            'm1',
            model('M01', { f0: 'b.y!', n0: 'b.size()' }, [
              one('m0', model('M010', { f0: 'd.x!', f1: 'a.x!' })),
            ]),
          ),
        ]),
      ),
    ]),
  },
  {
    name: 'a ring of five',
    joins: ['a.b == b.id', 'b.c == c.id', 'c.d == d.id', 'd.e == e.id', 'e.a == a.id'],
    isList: true,
    root: model('A', { id: 'a.id!', c: 'c.id' }, [
      list('ds', model('D', { id: 'd.id!', e: 'e.id' }, [one('b', model('B', { id: 'b.id' }))])),
      list('es', model('E', { id: 'e.id!', b: 'b.id' })),
    ]),
  },
];

describe.each(cases)('$name', ({ joins, root, isList = false, codes = [], rows: given, body }) => {
  const joined = joins.map(joinOf).flatMap(({ left, right }) => [left, right]);
  const names = [
    ...new Set([...joined, ...modelsIn(root).flatMap(({ fields }) => fields.map(({ of }) => of))]),
  ];
  const writings = writingsOf(joins);
  let code = '';

  test(`has one outcome for ${writings.length} writings`, () => {
    const outcomes = outcomesOf(root, isList, names, writings);
    const [first = { code: '', diagnostics: [] }] = outcomes;
    for (const [index, { code: text, diagnostics }] of outcomes.entries()) {
      const expected = { text: first.code, diagnostics: first.diagnostics };
      expect({ text, diagnostics }, JSON.stringify(writings[index])).toEqual(expected);
    }
    expect(first.diagnostics.map((text) => /^\w+ ([\w-]+)/.exec(text)?.[1])).toEqual(codes);
    code = first.code ?? '';
    expect(code === '').toBe(codes.includes('ambiguous-join'));
  });

  test.runIf(body !== undefined)('has the body that people expect', async () => {
    const { body: found } = await handlerOf(code, 'getAny')(given ?? {});
    expect(found).toEqual(body);
    expect(new NestedLoops(joins.map(joinOf), given ?? {}).build(root, isList)).toEqual(body);
  });

  test.skipIf(codes.includes('ambiguous-join'))('has the bodies of nested loops', async () => {
    const handle = handlerOf(code, 'getAny');
    await fc.assert(
      fc.asyncProperty(resultsOf(names, joins, root), async (results) => {
        const { body: found } = await handle(results);
        expect(found).toEqual(new NestedLoops(joins.map(joinOf), results).build(root, isList));
      }),
      { numRuns: 30 },
    );
  });
});

/** Rows with the fields read by joins and models. */
function resultsOf(
  names: readonly string[],
  joins: readonly string[],
  root: PlainModel,
): fc.Arbitrary<Results> {
  const fields = (of: string): string[] => {
    const joined = joins
      .map(joinOf)
      .flatMap(({ left, leftField, right, rightField }) =>
        left === of ? [leftField] : right === of ? [rightField] : [],
      );
    return [...joined, ...fieldsIn(root, of)];
  };
  const value = fc.constantFrom<Json>(null, 1, 2, 3, '2');
  const rowsOf = (of: string): fc.Arbitrary<Row[]> =>
    fc
      .array(fc.record(Object.fromEntries(fields(of).map((field) => [field, value]))), { maxLength: 5 })
      .map((rows) => rows.map((row): Row => ({ ...row })));
  return fc.record(Object.fromEntries(names.map((name) => [name, rowsOf(name)])));
}

function fieldsIn(root: PlainModel, name: string): string[] {
  return modelsIn(root)
    .flatMap(({ fields }) => fields)
    .filter(({ of }) => of === name)
    .map(({ field }) => field);
}
