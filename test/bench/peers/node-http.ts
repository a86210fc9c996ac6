/** The lower bound: Node's HTTP server alone, whose responses have the status and the length of those of the news service. */
import { createServer } from 'node:http';
import { logAddress } from './listening.js';

const body = 'x'.repeat(Number(process.env['BODY_LENGTH']));

const server = createServer((_request, response) => {
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
  });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  logAddress(server.address());
});
