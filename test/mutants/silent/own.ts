/** Base configurations for errors that cannot be made in the fixtures. */

const db = `
datasources:
  db: { type: db, url: 'jdbc:postgresql://localhost/db', user: me, password: secret }`;

/** An API description with parameters, a body and the statuses of a response. */
export const orders = {
  config: `specification: "1.0"
operations:
  'GET /orders/{id}':
    fulfillments:
      - name: order
        type: READ
        datasource: db
        instructions:
          - if: PARAM(state) == TEXT(paid)
            query: SELECT id, title, state FROM orders WHERE id = :[PARAM(id)] AND paid
          - if: PARAM(state) != TEXT(open)
            query: SELECT id, title, state FROM orders WHERE id = :[PARAM(id)] AND author = :[PARAM(author)]
          - query: SELECT id, title, state FROM orders WHERE id = :[PARAM(id)]
        exceptions:
          - { if: 'VALUE(order, $) == LIST(0)', statuscode: 404, message: No such order }
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema: { id: 'VALUE(order, $.id)', title: 'VALUE(order, $.title)', state: 'VALUE(order, $.state)' }
  'POST /orders':
    fulfillments:
      - name: created
        type: UPDATE
        datasource: db
        instructions:
          - query: INSERT INTO orders (title, lines) VALUES (:[BODY($.title)], :[BODY($.lines)])
    responses:
      - name: created
        default: true
        statuscode: 201
        schema: { id: 'VALUE(created, $.id)', title: 'BODY($.title)', state: TEXT(open) }
${db}
`,
  description: `openapi: 3.0.3
info: { title: orders, version: '1' }
paths:
  /orders/{id}:
    get:
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer } }
        - { name: state, in: query, schema: { type: string, enum: [open, paid, sent] } }
        - { name: author, in: query, schema: { type: string } }
      responses:
        '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } } }
        '404': { description: none }
  /orders:
    post:
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [title]
              additionalProperties: false
              properties: { title: { type: string }, lines: { type: array, items: { type: string } } }
      responses:
        '201': { description: created, content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } } }
components:
  schemas:
    Order:
      type: object
      required: [id, title]
      additionalProperties: false
      properties: { id: { type: integer }, title: { type: string }, state: { type: string } }
`,
};

/** Loops over rows, with an index and loopbreaks, and a reference call with parameters. */
export const stock = {
  config: `specification: "1.0"
operations:
  'GET /stock':
    fulfillments:
      - name: shelves
        type: READ
        datasource: db
        instructions:
          - query: SELECT id, title FROM shelf
      - name: each
        type: LOOP
        loop: VALUE(shelves, $)
        fulfillments:
          - name: lots
            type: READ
            datasource: db
            index: VALUE(each, $.id)
            loopbreak: SIZE(VALUE(lots, $)) > INTEGER(9)
            instructions:
              - query: SELECT id, amount FROM lot WHERE shelf = :[VALUE(each, $.id)]
      - name: counted
        type: reference
        operationName: count
        parameters:
          shelf: PARAM(shelf)
          amount: INTEGER(3)
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema:
          shelves:
            list: VALUE(shelves, $)
            item:
              title: VALUE(@, $.title)
              lots: VALUE_BY_INDEX(lots, VALUE(@, $.id), $[*].amount)
          total: VALUE(counted, $.total)
          more: VALUE(counted, $.more)
  count:
    fulfillments:
      - name: total
        type: READ
        datasource: db
        instructions:
          - query: SELECT count(*) AS total FROM lot WHERE shelf = :[PARAM(shelf)] AND amount > :[PARAM(amount)]
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema:
          total: VALUE(total, $.total)
          more: VALUE(total, $.total) > INTEGER(0)
  clean up:
    triggers:
      - { name: nightly, cron: '0 0 3 * * *' }
      - { name: at noon, cron: '0 0 12 * * *' }
    fulfillments:
      - name: gone
        type: UPDATE
        datasource: db
        instructions:
          - query: DELETE FROM lot WHERE amount = 0 AND shelf > 7
  'GET /rates':
    fulfillments:
      - name: rates
        type: READ
        datasource: bank
        instructions:
          - request: { url: /rates, httpType: GET }
    responses:
      - { name: ok, default: true, statuscode: 200, schema: 'VALUE(rates, $)' }
  'PUT /rates':
    fulfillments:
      - name: sent
        type: UPDATE
        datasource: bank
        instructions:
          - request: { url: /rates, httpType: PUT }
    responses:
      - { name: ok, default: true, statuscode: 200, schema: 'VALUE(sent, $)' }
datasources:
  db: { type: db, url: 'jdbc:postgresql://localhost/db', user: me, password: secret }
  bank: { type: rest, url: 'https://bank.example.com' }
authentications:
  reader: { type: basicauth, user: reader, password: secret }
  writer: { type: basicauth, user: writer, password: hidden }
`,
};

/** Two parameters and a body, all of them declared and read. */
export const declared = {
  config: `specification: "1.0"
operations:
  'POST /lots':
    fulfillments:
      - name: made
        type: UPDATE
        datasource: db
        instructions:
          - query: INSERT INTO lot (shelf, amount) VALUES (:[PARAM(shelf)], :[BODY($.amount)])
    responses:
      - { name: ok, default: true, statuscode: 201 }
  'POST /recount':
    fulfillments:
      - name: made
        type: UPDATE
        datasource: db
        instructions:
          - query: UPDATE shelf SET counted = :[PARAM(to)] WHERE id = :[PARAM(shelf)]
    responses:
      - { name: ok, default: true, statuscode: 201 }
${db}
`,
  description: `openapi: 3.0.3
info: { title: lots, version: '1' }
paths:
  /lots:
    post:
      parameters: [{ name: shelf, in: query, schema: { type: integer } }]
      requestBody:
        content: { application/json: { schema: { type: object, properties: { amount: { type: integer } } } } }
      responses: { '201': { description: made } }
  /recount:
    post:
      parameters:
        - { name: shelf, in: query, schema: { type: integer } }
        - { name: to, in: query, schema: { type: integer } }
      responses: { '201': { description: made } }
`,
};
