/** The third-party API called by both sides: a forecast of about a kilobyte, on Node's HTTP server. */
import { createServer } from 'node:http';
import { logAddress } from './listening.js';

const hours = Array.from({ length: 24 }, (_, hour) => ({ hour, temperature: 10 + hour / 4, rain: hour % 3 }));

const server = createServer((request, response) => {
  const city = decodeURIComponent(request.url?.split('/').at(-1) ?? '');
  const text = JSON.stringify({ city, now: { temperature: 21.5, wind: 7 }, hours });
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
});
// By default Node closes idle connections after 6 s, about as long as the other side's round takes: a busy client without retries would
// lose requests on connections that are being closed.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  logAddress(server.address());
});
