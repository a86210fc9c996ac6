/** A configuration with any number of operations, each doing the measured work. */

/** `changed` is put into the message of the first operation, to make that operation differ. */
export function manyOperations(count: number, changed = 'No such news'): string {
  const operations = Array.from({ length: count }, (_, index) =>
    operation(index, index === 0 ? changed : 'No such news'),
  );
  return `specification: "1.0"\noperations:\n${operations.join('')}${datasource}`;
}

/** The path of the last of `count` operations, with an id. */
export function lastPath(count: number, id: string): string {
  return `${pathOf(count - 1)}/${id}`;
}

function pathOf(index: number): string {
  return `/area${Math.floor(index / 10)}/news${index % 10}`;
}

function operation(index: number, message: string): string {
  return `
  'GET ${pathOf(index)}/{id}':
    fulfillments:
      - name: news
        type: READ
        datasource: newsdb
        instructions:
          - query: SELECT id, title, body, created FROM news WHERE id = :[PARAM(id)]
        exceptions:
          - if: SIZE(VALUE(news, $)) == INTEGER(0)
            statuscode: 404
            message: ${message}
      - name: comments
        type: READ
        datasource: newsdb
        instructions:
          - query: SELECT id, body FROM comment WHERE news_id = :[VALUE(news, $.id)]
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema:
          id: VALUE(news, $.id)
          title: VALUE(news, $.title)
          body: VALUE(news, $.body)
          created: VALUE(news, $.created)
          comments:
            list: VALUE(comments, $)
            item:
              id: VALUE(@, $.id)
              body: VALUE(@, $.body)
`;
}

/** The tables read by the operations. */
export const schemaOfMany = `create table news (id int primary key, title text not null, body text not null, created timestamptz not null);
create table comment (id int primary key, news_id int not null, body text not null);
`;

const datasource = `datasources:
  newsdb:
    type: db
    url: jdbc:postgresql://localhost:5432/news
`;
