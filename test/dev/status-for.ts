/** A request of a page whose name was pointed to this machine. */
import { request } from 'node:http';

/** Rejects where the connection is closed without a response. */
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
