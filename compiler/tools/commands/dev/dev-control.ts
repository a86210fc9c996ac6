/** The side of `apikiln dev` that `apikiln token` asks: a port, and the file through which it is found. */
import { screen } from '../../../notation/screen-writer.js';
import { randomBytes } from 'node:crypto';
import { ControlServer } from '../../dev/control-server.js';
import { reason } from '../shared/files/read-text.js';
import { CommandError } from '../shared/output/exit-status.js';
import type { Terminal } from '../shared/output/terminal.js';
import { contactPath, removeContact, writeContact } from './dev-contact.js';

/** Returns the function that ends it. If nothing can be asked, `dev` prints why, and still runs the service. */
export async function startControl(
  config: string,
  answer: Parameters<typeof ControlServer.start>[1],
  terminal: Terminal,
): Promise<() => Promise<void>> {
  const path = contactPath(config);
  // A missing configuration is reported when it is read.
  if (path === undefined) return () => Promise.resolve();
  const secret = randomBytes(32).toString('hex');
  let server: ControlServer;
  try {
    server = await ControlServer.start(secret, answer);
  } catch (error) {
    terminal.log(screen`'apikiln token' cannot ask this dev: ${screen.text(reason(error))}.`);
    return () => Promise.resolve();
  }
  const contact = { pid: process.pid, port: server.port, secret };
  const remove = (): void => {
    removeContact(path, contact);
  };
  try {
    writeContact(path, contact);
    // Also after an error.
    process.once('exit', remove);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    terminal.log(screen`'apikiln token' cannot ask this dev. ${screen.text(error.message)}`);
  }
  return async () => {
    process.off('exit', remove);
    remove();
    await server.close();
  };
}
