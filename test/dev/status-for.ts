/** A request from a web page whose host name was pointed to this machine (DNS rebinding). */
import { request } from 'node:http';

/** Rejects if the connection is closed without a response. */
export function statusFor(host: string, port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { port, host: '127.0.0.1', path, headers: { host }, agent: false },
      (response) => {
        response.destroy();
        resolve(response.statusCode);
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}
