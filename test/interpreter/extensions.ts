/**
 * Extensions as features of one operation: each adds to the configuration and promises something about the response, regardless of other
 * features.
 */
import { createHash } from 'node:crypto';
import type { ThirdParty } from '../helpers/third-party.js';

export type Database = 'postgresql' | 'mariadb';

/** An operation in Syntax A that reads rows 1 to 5. */
export interface Draft {
  readonly number: number;
  readonly database: Database;
  readonly operation: Record<string, unknown>;
  /** The READ that returns the rows. */
  readonly rows: Record<string, unknown>;
  /** Fulfillments after the READ. */
  readonly steps: object[];
  /** The default response. */
  readonly response: Record<string, unknown>;
  readonly others: object[];
  readonly header: string[];
}

/** A response, with functions for further checks. */
export interface Seen {
  readonly response: Response;
  readonly text: string;
  /** Ids of the rows in the body. */
  readonly ids: readonly number[];
  /** Sends the request again with different parameters or headers. */
  readonly again: (
    query: string,
    headers?: Record<string, string>,
  ) => Promise<{ status: number; text: string }>;
  readonly party: ThirdParty;
  readonly number: number;
}

export interface Feature {
  readonly name: string;
  /** Features with the same slot exclude each other. */
  readonly slot?: string;
  /** Requires PostgreSQL. */
  readonly onlyPostgres?: boolean;
  readonly apply: (draft: Draft) => void;
  /** The expected number of rows in the body. */
  readonly rows?: number;
  /** Broken promises. */
  readonly broken: (seen: Seen) => string[] | Promise<string[]>;
}

/** Checks a header of the response. */
const header =
  (name: string, expected: string | RegExp): Feature['broken'] =>
  ({ response }) => {
    const found = response.headers.get(name) ?? '';
    const holds = typeof expected === 'string' ? found === expected : expected.test(found);
    return holds ? [] : [`${name} is '${found}'`];
  };

const read = (draft: Draft, name: string, query: string, rest: object = {}): object => ({
  ...{ name, type: 'READ', datasource: draft.database, instructions: [{ query }], ...rest },
});

const request = (name: string, url: string, rest: object = {}): object => ({
  ...{
    name,
    type: 'READ',
    datasource: 'party',
    instructions: [{ request: { url, httpType: 'GET' } }],
    ...rest,
  },
});

export const features: readonly Feature[] = [
  {
    name: 'transaction',
    apply: ({ operation }) => (operation['transaction'] = true),
    broken: () => [],
  },
  {
    name: 'page',
    rows: 2,
    apply: ({ rows, header: lines }) => {
      rows['order'] = { by: 'QUERY(sort)', allow: { id: 'id', back: 'id DESC' }, default: 'id', key: 'id' };
      rows['page'] = { limit: 'QUERY(limit)', max: 2, after: 'QUERY(after)' };
      lines.push('X-Next: :[NEXT(rows)]');
    },
    broken: async (seen) => {
      const next = seen.response.headers.get('x-next') ?? '';
      const more = await seen.again(`after=${encodeURIComponent(next)}`);
      const wrong = await seen.again('sort=other');
      return [
        ...(more.text.includes('row3') && !more.text.includes('row2')
          ? []
          : [`the next page is ${more.text}`]),
        ...(wrong.status === 400 ? [] : [`another sort is ${wrong.status}`]),
      ];
    },
  },
  {
    name: 'etag of the body',
    slot: 'etag',
    apply: ({ response }) => (response['etag'] = true),
    broken: notModified,
  },
  {
    name: 'etag of a version',
    slot: 'etag',
    apply: ({ response }) => (response['etag'] = 'VALUE(rows, $[0].name)'),
    broken: async (seen) => [...(await header('etag', /row1/)(seen)), ...(await notModified(seen))],
  },
  {
    name: 'csv',
    slot: 'content',
    apply: ({ response }) => {
      response['contentType'] = 'text/csv';
      response['schema'] = list;
    },
    broken: header('content-type', /^text\/csv/),
  },
  {
    name: 'ndjson',
    slot: 'content',
    apply: ({ response }) => {
      response['contentType'] = 'application/x-ndjson';
      response['schema'] = list;
    },
    broken: header('content-type', /^application\/x-ndjson/),
  },
  {
    name: 'file name',
    apply: ({ response }) => (response['fileName'] = 'CONCAT(TEXT(rows-), QUERY(name))'),
    broken: header('content-disposition', /rows-b/),
  },
  {
    name: 'header of the rows',
    apply: ({ header: lines }) => lines.push('X-Name: :[VALUE(rows, $[1].name)]'),
    broken: header('x-name', 'row2'),
  },
  {
    name: 'link',
    apply: ({ header: lines }) => lines.push('Link: </rows/:[VALUE(rows, $[0].name)]>; rel="first"'),
    broken: header('link', '</rows/row1>; rel="first"'),
  },
  {
    name: 'functions',
    apply: ({ header: lines }) =>
      lines.push('X-Made: :[NOW()]|:[UUID()]|:[COALESCE(QUERY(none), TEXT(none))]|:[ENV(PAIR)]'),
    broken: header('x-made', /^\d{4}-.*Z\|[0-9a-f-]{36}\|none\|env$/),
  },
  {
    name: 'caller',
    apply: ({ operation, header: lines }) => {
      operation['authentications'] = ['keys'];
      lines.push('X-Caller: :[CALLER($.authentication)]');
    },
    broken: async (seen) => {
      const without = await seen.again('', { 'X-Key': 'wrong' });
      return [
        ...(await header('x-caller', 'keys')(seen)),
        ...(without.status === 401 ? [] : [`a wrong key is ${without.status}`]),
      ];
    },
  },
  {
    name: 'rows of the caller',
    onlyPostgres: true,
    apply: (draft) => {
      draft.operation['authentications'] = ['keys'];
      draft.rows['datasource'] = 'tenants';
      draft.steps.push(
        read(draft, 'tenant', "SELECT current_setting('app.tenant', true) AS t", { datasource: 'tenants' }),
      );
      draft.header.push('X-Tenant: :[VALUE(tenant, $.t)]');
    },
    broken: header('x-tenant', 'pairs'),
  },
  {
    name: 'account of an operation',
    apply: ({ operation }) => {
      operation['authentications'] = ['accounts', 'keys'];
    },
    broken: async ({ again }) => {
      const statusOf = async (password: string): Promise<number> => {
        const credentials = Buffer.from(`ada:${password}`).toString('base64');
        return (await again('', { authorization: `Basic ${credentials}` })).status;
      };
      const [right, wrong] = [await statusOf('lètmein'), await statusOf('letmein')];
      return right === 200 && wrong === 401 ? [] : [`the right password is ${right}, a wrong one ${wrong}`];
    },
  },
  {
    name: 'outbox',
    apply: (draft) => {
      draft.operation['transaction'] = true;
      draft.steps.push({
        ...{ name: 'message', type: 'UPDATE', datasource: `outbox_${draft.database}` },
        instructions: [
          {
            request: {
              ...{ url: `/told/${draft.number}/:[QUERY(name)]`, httpType: 'POST', deliver: 'afterCommit' },
              body: { contentType: 'json', schema: { id: 'VALUE(rows, $[0].id)' } },
            },
          },
        ],
      });
    },
    broken: ({ party, number }) => arrived(party, `POST /told/${number}/b`),
  },
  {
    name: 'retry',
    apply: ({ steps, header: lines, number }) => {
      steps.push({
        ...{ name: 'flaky', type: 'READ', datasource: 'party' },
        instructions: [
          { request: { url: `/flaky/${number}`, httpType: 'GET', retry: { times: 3, wait: 0.01 } } },
        ],
      });
      lines.push('X-Flaky: :[VALUE(flaky, $.value)]');
    },
    broken: header('x-flaky', 'served'),
  },
  {
    name: 'failure',
    apply: ({ steps, header: lines }) => {
      steps.push(request('missing', '/missing', { onFailure: 'continue' }));
      steps.push(request('cut', '/cut', { onFailure: 'continue' }));
      lines.push('X-Failure: :[STATUS(missing)]|:[FAILURE(missing)]|:[STATUS(cut)]|:[FAILURE(cut)]');
    },
    broken: header('x-failure', '404|||unreachable'),
  },
  {
    name: 'header of a third party',
    apply: ({ steps, header: lines }) => {
      steps.push(request('told', '/value'));
      lines.push('X-Kind: :[RESPONSE_HEADER(told, x-kind)]');
    },
    broken: header('x-kind', 'kind'),
  },
  {
    name: 'own code',
    apply: ({ steps, header: lines }) => {
      steps.push({
        ...{ name: 'twice', type: 'CODE', function: 'twice', input: { n: 'SIZE(VALUE(rows, $))' } },
        returns: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
      });
      lines.push('X-Twice: :[VALUE(twice, $.n)]');
    },
    broken: ({ ids, response }) =>
      response.headers.get('x-twice') === String(2 * ids.length)
        ? []
        : [`X-Twice is ${response.headers.get('x-twice') ?? ''}`],
  },
  {
    name: 'function',
    apply: ({ header: lines }) => lines.push('X-Loud: :[CODE(loud, VALUE(rows, $[0].name))]'),
    broken: header('x-loud', 'ROW1'),
  },
  {
    name: 'computed value',
    apply: ({ steps, header: lines }) => {
      steps.push({
        ...{ name: 'made', type: 'COMPUTE' },
        schema: {
          count: 'SIZE(VALUE(rows, $))',
          token: 'RANDOM(16)',
          word: 'CONCAT(TEXT(A), LOWER(TEXT(B)))',
        },
      });
      lines.push('X-Made-Up: :[VALUE(made, $.count)]|:[VALUE(made, $.word)]|:[VALUE(made, $.token)]');
      lines.push('X-Digest: :[SHA256(VALUE(made, $.token))]');
    },
    broken: ({ ids, response }) => {
      const [count, word, token = ''] = (response.headers.get('x-made-up') ?? '').split('|');
      const digest = createHash('sha256').update(token).digest('hex');
      const isRight = count === String(ids.length) && word === 'Ab' && /^[\w-]{22}$/.test(token);
      return isRight && response.headers.get('x-digest') === digest
        ? []
        : [`X-Made-Up is ${response.headers.get('x-made-up') ?? ''}`];
    },
  },
  {
    name: 'concurrent loop',
    apply: (draft) => {
      draft.steps.push({
        ...{ name: 'each', type: 'LOOP', loop: 'LIST(4)', concurrency: 3 },
        fulfillments: [
          read(draft, 'square', 'SELECT name FROM thing WHERE id = :[VALUE(each, $)]', {
            index: 'VALUE(each, $)',
          }),
        ],
      });
      draft.header.push(
        'X-Squares: :[VALUE_BY_INDEX(square, INTEGER(1), $.name)]:[VALUE_BY_INDEX(square, INTEGER(3), $.name)]',
      );
    },
    broken: header('x-squares', 'row1row3'),
  },
  {
    name: 'together',
    apply: ({ steps, header: lines, operation }) => {
      operation['together'] = true;
      steps.push(request('side', '/value'), request('gone', '/missing', { onFailure: 'continue' }));
      lines.push('X-Together: :[VALUE(side, $.value)]|:[STATUS(gone)]');
    },
    broken: header('x-together', 'served|404'),
  },
  {
    name: 'together in a loop',
    apply: ({ steps, header: lines }) => {
      steps.push({
        ...{ name: 'pair', type: 'LOOP', loop: 'LIST(3)', concurrency: 2, together: true },
        fulfillments: [
          request('left', '/value', { index: 'VALUE(pair, $)' }),
          request('right', '/cut', { index: 'VALUE(pair, $)', onFailure: 'continue' }),
        ],
      });
      lines.push(
        'X-Pairs: :[VALUE_BY_INDEX(left, INTEGER(2), $.value)]|:[STATUS_BY_INDEX(left, INTEGER(0))]|:[STATUS_BY_INDEX(right, INTEGER(1))]|:[FAILURE_BY_INDEX(right, INTEGER(1))]',
      );
    },
    broken: header('x-pairs', 'served|200||unreachable'),
  },
  {
    name: 'reference',
    apply: ({ steps, header: lines, database }) => {
      steps.push({
        ...{ name: 'called', type: 'reference', operationName: `one of ${database}` },
        parameters: { id: 'VALUE(rows, $[1].id)' },
      });
      lines.push('X-Called: :[VALUE(called, $.name)]');
    },
    broken: header('x-called', 'row2'),
  },
  {
    name: 'reference that fails',
    apply: ({ steps, header: lines, database }) => {
      steps.push({
        ...{ name: 'refused', type: 'reference', operationName: `one of ${database}`, onFailure: 'continue' },
        parameters: { id: 'INTEGER(99)' },
      });
      lines.push('X-Refused: :[STATUS(refused)]');
    },
    broken: header('x-refused', '404'),
  },
  {
    name: 'update',
    apply: (draft) => {
      const returning = draft.database === 'postgresql' ? ' RETURNING name' : '';
      draft.steps.push({
        ...read(draft, 'changed', `UPDATE thing SET seen = NOT seen WHERE id = 4${returning}`),
        type: 'UPDATE',
      });
      const what = draft.database === 'postgresql' ? 'name' : 'affected_rows';
      draft.header.push(`X-Changed: :[VALUE(changed, $.${what})]`);
    },
    broken: header('x-changed', /^(?:row4|1)$/),
  },
  {
    name: 'exception',
    apply: ({ rows }) => {
      rows['exceptions'] = [
        {
          ...{
            if: 'QUERY(fire) != NULL()',
            statuscode: 418,
            code: 'fired',
            message: 'b:[VALUE(rows, $[0].name)]',
          },
          header: ['X-Fired: :[QUERY(fire)]'],
          schema: { code: 'ERROR($.code)', message: 'ERROR($.message)', rows: 'SIZE(VALUE(rows, $))' },
        },
      ];
    },
    broken: async (seen) => {
      const fired = await seen.again('fire=yes');
      const expected = JSON.stringify({ code: 'fired', message: 'brow1', rows: seen.ids.length });
      return fired.status === 418 && fired.text === expected
        ? []
        : [`fired is ${fired.status} ${fired.text}`];
    },
  },
  {
    name: 'violated constraint',
    apply: (draft) => {
      draft.steps.push({
        ...{ name: 'repeated', type: 'UPDATE', datasource: draft.database, if: 'QUERY(twice) != NULL()' },
        instructions: [{ query: "INSERT INTO thing (id, name, seen) VALUES (1, 'twice', true)" }],
        exceptions: [
          {
            constraint: draft.database === 'postgresql' ? 'thing_pkey' : 'PRIMARY',
            statuscode: 418,
            message: ':[QUERY(twice)] is taken',
            schema: { message: 'ERROR($.message)', rows: 'SIZE(VALUE(rows, $))' },
          },
        ],
      });
    },
    broken: async (seen) => {
      const twice = await seen.again('twice=row1');
      const expected = JSON.stringify({ message: 'row1 is taken', rows: seen.ids.length });
      return twice.status === 418 && twice.text === expected
        ? []
        : [`twice is ${twice.status} ${twice.text}`];
    },
  },
  {
    name: 'input exception',
    apply: ({ operation }) => {
      operation['exceptions'] = [{ if: 'QUERY(bad) != NULL()', statuscode: 422, message: 'bad' }];
    },
    broken: async ({ again }) => {
      const bad = await again('bad=1');
      return bad.status === 422 ? [] : [`bad is ${bad.status}`];
    },
  },
  {
    name: 'other response',
    apply: ({ others }) => {
      others.push({
        ...{ name: 'moved', default: false, if: 'QUERY(moved) == TEXT(yes)', statuscode: 303 },
        header: ['Location: /rows/:[VALUE(rows, $[0].name)]'],
      });
    },
    broken: async ({ again }) => {
      const moved = await again('moved=yes');
      return moved.status === 303 && moved.text === '' ? [] : [`moved is ${moved.status} ${moved.text}`];
    },
  },
  {
    name: 'condition',
    apply: (draft) => {
      draft.steps.push(
        read(draft, 'maybe', 'SELECT name FROM thing WHERE id = 3', {
          if: 'COALESCE(QUERY(none), VALUE(rows, $.name)) == TEXT(row1)',
        }),
      );
      draft.header.push('X-Maybe: :[VALUE(maybe, $.name)]');
    },
    broken: header('x-maybe', 'row3'),
  },
  {
    name: 'timer',
    apply: ({ operation }) => {
      operation['triggers'] = [{ name: 'yearly', cron: '0 0 0 1 1 *' }];
    },
    broken: () => [],
  },
];

const list = { list: 'VALUE(rows, $)', item: { id: 'VALUE(@, $.id)', name: 'VALUE(@, $.name)' } };

async function notModified({ response, again }: Seen): Promise<string[]> {
  const tag = response.headers.get('etag');
  if (tag === null) return ['there is no ETag'];
  const { status, text } = await again('', { 'If-None-Match': tag });
  return status === 304 && text === '' ? [] : [`If-None-Match ${tag} is ${status}`];
}

/** A message sent after the commit may arrive later than the response. */
async function arrived(party: ThirdParty, wanted: string): Promise<string[]> {
  const end = Date.now() + 20_000;
  while (Date.now() < end) {
    if (told.has(wanted)) return [];
    for (const { request: sent, body } of party.take()) if (body === '{"id":1}') told.add(sent);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return [`${wanted} has not arrived`];
}

const told = new Set<string>();

/** The operation with all of these features. */
export function operationWith(chosen: readonly Feature[], number: number, database: Database): object {
  const draft: Draft = {
    ...{ number, database, operation: {}, steps: [], others: [], header: [] },
    rows: { name: 'rows', type: 'READ', datasource: database },
    response: { name: 'ok', default: true, statuscode: 200, schema: { rows: list } },
  };
  for (const { apply } of chosen) apply(draft);
  // The field `order` already orders the list.
  const query = `SELECT id, name FROM thing${draft.rows['order'] === undefined ? ' ORDER BY id' : ''}`;
  draft.rows['instructions'] = [{ query }];
  if (draft.header.length > 0) draft.response['header'] = draft.header;
  return {
    ...draft.operation,
    fulfillments: [draft.rows, ...draft.steps],
    responses: [draft.response, ...draft.others],
  };
}

/** Ids of the rows in a body of any content type. */
export function idsIn(text: string): number[] {
  return [...text.matchAll(/(\d)\W+(?:name\W+)?row\1/g)].map(([, id]) => Number(id));
}
