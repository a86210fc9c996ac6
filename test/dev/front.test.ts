/** The server in front of the services of `apikiln dev` refuses invalid requests like a service. */
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { Front } from '../../compiler/tools/dev/front.js';

function exchange(port: number, sent: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(sent);
    });
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => {
      received += part;
    });
    socket.on('end', () => {
      socket.destroy();
      resolve(received);
    });
    socket.on('error', reject);
  });
}

test.each([
  ['a header that no request can have', 'GET / HTTP/1.1\r\nHost: a\r\nX-Note: \u0001\r\n\r\n'],
  ['no HTTP', 'hello\r\n\r\n'],
])('%s is 400 with a body', async (_, sent) => {
  const front = new Front({ overlay: '', loginScript: '', seen: () => undefined, ran: () => undefined });
  try {
    const received = await exchange(await front.listen('127.0.0.1', 0), sent);
    const [head = '', body = ''] = received.split('\r\n\r\n');
    expect(head).toContain('HTTP/1.1 400 Bad Request');
    expect(head).toContain('Content-Type: application/json');
    expect(JSON.parse(body)).toEqual({ message: 'Bad Request' });
  } finally {
    await front.close();
  }
});
