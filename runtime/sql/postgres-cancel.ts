/** Ends a statement that runs on another connection: PostgreSQL takes such a request without any log-in. */
import { connect } from 'node:net';

/** Identifies the request in PostgreSQL's protocol. */
const cancelRequest = 80_877_102;

/** Milliseconds that the request may take; the server answers nothing to it. */
const patience = 2000;

/** Sends the request and forgets it: where it does not arrive, the server's own time limit ends the statement. */
export function cancelStatement(host: string, port: number, processId: number, secretKey: number): void {
  const request = Buffer.alloc(16);
  request.writeInt32BE(request.length, 0);
  request.writeInt32BE(cancelRequest, 4);
  request.writeInt32BE(processId, 8);
  request.writeInt32BE(secretKey, 12);
  const socket = connect({ host, port });
  socket.on('error', () => socket.destroy());
  socket.setTimeout(patience, () => socket.destroy());
  socket.unref();
  // The server closes the connection once it has read the request.
  socket.write(request);
}
