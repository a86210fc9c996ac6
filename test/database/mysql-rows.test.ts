/** MariaDB rows with column types reported by a server, and a service on another server that spells column names differently. */
import { beforeAll, expect, test } from 'vitest';
import { DiskCache } from '../../compiler/analyze/database/disk-cache.js';
import { SchemaDatabases } from '../../compiler/analyze/database/schema-databases.js';
import { compile } from '../../compiler/compile.js';
import { assets, textOf } from '../emit/compile-text.js';
import type { AttachedServer } from '../helpers/database-server.js';
import { RunningService } from '../helpers/running-service.js';
import { buildServices } from '../helpers/service-build.js';
import { sharedMariadb } from '../helpers/shared-servers.js';
import { urlOf } from './server-check.js';

let server: AttachedServer;

const schemas = {
  told_rows: `
    CREATE TABLE book (id int PRIMARY KEY, title varchar(20) NOT NULL, price decimal(6, 2) NOT NULL, note text, state enum('new', 'old') NOT NULL);
    CREATE VIEW seen AS SELECT id, title FROM book`,
  other_rows: `
    CREATE TABLE book (ID int PRIMARY KEY, Title varchar(20) NOT NULL, PRICE decimal(6, 2) NOT NULL, note text, state enum('new', 'old') NOT NULL);
    CREATE VIEW seen AS SELECT ID, title AS TITLE FROM book`,
};

beforeAll(async () => {
  server = await sharedMariadb();
  for (const [database, schema] of Object.entries(schemas)) {
    await server.createDatabase(database);
    await server.exec(database, `${schema}; INSERT INTO book VALUES (1, 'One', 1.5, NULL, 'new')`);
  }
});

/** `read`: the columns read by the items of the operation's list. */
function compiled(operations: Readonly<Record<string, { query: string; read: readonly string[] }>>) {
  const config = {
    specification: '1.0',
    operations: Object.fromEntries(
      Object.entries(operations).map(([name, { query, read }]) => [
        `GET /${name}`,
        {
          fulfillments: [{ name: 'rows', type: 'READ', datasource: 'shop', instructions: [{ query }] }],
          responses: [
            {
              ...{ name: 'ok', default: true, statuscode: 200 },
              schema: {
                list: 'VALUE(rows, $)',
                item: Object.fromEntries(read.map((column) => [`a_${column}`, `VALUE(@, $.${column})`])),
              },
            },
          ],
        },
      ]),
    ),
    datasources: { shop: { type: 'db', url: 'jdbc:mariadb://db.example/shop' } },
  };
  const url = urlOf(server, 'mariadb', 'told_rows');
  const databases = new SchemaDatabases(() => ({ kind: 'server', url }), new DiskCache(undefined));
  const text = JSON.stringify(config);
  return compile({ config: { path: 'config.yaml', text } }, assets, undefined, databases);
}

const operations = {
  listed: {
    query: 'SELECT id, Title, price, note, state, price * 2 AS twice FROM book',
    read: ['id', 'Title', 'price', 'note', 'state', 'twice'],
  },
  all: { query: 'SELECT * FROM book', read: ['id', 'title', 'price', 'note', 'state'] },
  seen: { query: 'SELECT id, title FROM seen', read: ['id', 'title'] },
};

test('rows have types, and a server that spells the names otherwise gives the same values', async () => {
  const { files = [], diagnostics } = await compiled(operations);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(textOf(files, 'src/operations/get-listed.ts')).toMatchInlineSnapshot(`
    "// Generated from config.yaml. Do not edit: change config.yaml and build again.
    import { jsonRows, reply, type Call, type ExactNumber, type Reply } from '@apikiln/runtime';
    import { shop } from '../datasources.js';

    const operation = 'GET /listed';

    export type RowsRow = {
      id: number;
      Title: string;
      price: ExactNumber;
      note: string | null;
      state: string;
      twice: ExactNumber | null;
    };

    const selectRows = shop.read<RowsRow>({
      operation,
      fulfillment: 'rows',
      sql: 'SELECT id, Title, price, note, state, price * 2 AS twice FROM book',
      columnNames: ['id', 'Title', 'price', 'note', 'state', 'twice'],
    });

    /** GET /listed */
    export async function getListed(call: Call): Promise<Reply> {
      // fulfillment rows
      const rows = await jsonRows(selectRows, call, [], {
        a_id: 'id',
        a_Title: 'Title',
        a_price: 'price',
        a_note: 'note',
        a_state: 'state',
        a_twice: 'twice',
      });

      // response ok
      return reply(200, rows);
    }
    "
  `);
  expect(textOf(files, 'src/operations/get-all.ts')).toMatchInlineSnapshot(`
    "// Generated from config.yaml. Do not edit: change config.yaml and build again.
    import { jsonRows, reply, type Call, type ExactNumber, type Reply } from '@apikiln/runtime';
    import { shop } from '../datasources.js';

    const operation = 'GET /all';

    export type RowsRow = {
      id: number;
      title: string;
      price: ExactNumber;
      note: string | null;
      state: string;
    };

    const selectRows = shop.read<RowsRow>({
      operation,
      fulfillment: 'rows',
      sql: 'SELECT * FROM book',
      columnNames: ['id', 'title', 'price', 'note', 'state'],
    });

    /** GET /all */
    export async function getAll(call: Call): Promise<Reply> {
      // fulfillment rows
      const rows = await jsonRows(selectRows, call, [], {
        a_id: 'id',
        a_title: 'title',
        a_price: 'price',
        a_note: 'note',
        a_state: 'state',
      });

      // response ok
      return reply(200, rows);
    }
    "
  `);

  const folder = buildServices('mysql-rows', [{ name: 'rows', files }]).get('rows') ?? '';
  const { user, password } = server;
  const answers = async (database: string): Promise<unknown[]> => {
    const service = await RunningService.start(folder, {
      DATASOURCE_SHOP_URL: server.jdbcUrl(database),
      DATASOURCE_SHOP_USER: user,
      DATASOURCE_SHOP_PASSWORD: password,
    });
    try {
      const names = Object.keys(operations);
      return await Promise.all(names.map(async (name) => (await fetch(`${service.url}/${name}`)).json()));
    } finally {
      await service.stop();
    }
  };
  const told = await answers('told_rows');
  expect(told).toEqual([
    [{ a_id: 1, a_Title: 'One', a_price: 1.5, a_note: null, a_state: 'new', a_twice: 3 }],
    [{ a_id: 1, a_title: 'One', a_price: 1.5, a_note: null, a_state: 'new' }],
    [{ a_id: 1, a_title: 'One' }],
  ]);
  expect(await answers('other_rows')).toEqual(told);
});

test('a name in another letter case than that of the server is an error', async () => {
  const { diagnostics } = await compiled({ all: { query: 'SELECT * FROM book', read: ['id', 'Title'] } });
  expect(diagnostics.map(({ code, message, hint }) => [code, message, hint])).toMatchInlineSnapshot(`
    [
      [
        "unknown-column",
        "The rows of 'rows' have no column 'Title'.",
        "Did you mean 'title'? Its columns are 'id', 'title', 'price', 'note', 'state'.",
      ],
    ]
  `);
});
