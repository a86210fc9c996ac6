/** Requests with an idempotency key to the service of `main.ts`, and the tables that it changes. */
import { request } from 'node:http';

/** `number` differs for each change. */
export const tables: Readonly<Record<'postgresql' | 'mysql', string>> = {
  postgresql: `create table orders (
    number integer generated always as identity primary key, id varchar(40) not null, name varchar(40));`,
  mysql: `create table orders (
    number integer not null auto_increment primary key, id varchar(40) not null, name varchar(40));`,
};

/** A response; status 0 without one. */
export interface Response {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/** The request to `POST /orders` and its response. `leave` disconnects the client before the response. */
export interface Sent {
  readonly response: Promise<Response>;
  leave(): void;
}

export function send(
  port: number,
  key: string,
  body: object,
  header: Readonly<Record<string, string>> = {},
): Sent {
  const text = JSON.stringify(body);
  const outgoing = request({
    ...{ port, path: '/orders', method: 'POST' },
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'idempotency-key': key,
      ...header,
    },
  });
  const response = new Promise<Response>((resolve) => {
    const none = (): void => {
      resolve({ status: 0, retryAfter: undefined, text: '' });
    };
    outgoing.on('error', none);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', none);
      incoming.on('end', () => {
        resolve({
          status: incoming.statusCode ?? 0,
          retryAfter: incoming.headers['retry-after'],
          text: Buffer.concat(chunks).toString(),
        });
      });
    });
  });
  outgoing.end(text);
  return { response, leave: () => outgoing.destroy() };
}
