/** The side of `apikiln dev` that `apikiln token` asks: a port, and the file through which it is found. */
import { screen } from '../../../notation/screen-writer.js';
import { randomBytes } from 'node:crypto';
import { ControlServer } from '../../dev/control-server.js';
import { reason } from '../shared/files/read-text.js';
import { CommandError } from '../shared/output/exit-status.js';
import type { Terminal } from '../shared/output/terminal.js';
import {
  contactPath,
  contactsOf,
  removeContact,
  removeDead,
  writeContact,
  type Contact,
} from './dev-contact.js';

export class DevControl {
  readonly #secret = randomBytes(32).toString('hex');
  readonly #started = Date.now();
  #server: ControlServer | undefined;
  /** The written file. */
  #path: string | undefined;
  /** Whether no questions can be asked, which has been printed. */
  #isBroken = false;

  constructor(
    private readonly config: string,
    private readonly answer: Parameters<typeof ControlServer.start>[1],
    private readonly terminal: Terminal,
  ) {}

  /** Opens the port as soon as the configuration exists. If no questions can be asked, `dev` prints the reason, and still runs the service. */
  async open(): Promise<void> {
    const path = contactPath(this.config, process.pid);
    // A missing configuration is reported when it is read.
    if (path === undefined || path === this.#path || this.#isBroken) return;
    try {
      this.#server ??= await ControlServer.start(this.#secret, this.answer);
      this.#remove();
      removeDead(this.config);
      if (contactsOf(this.config).some(({ pid }) => pid !== process.pid))
        this.terminal.log(
          screen`Another apikiln dev runs for this configuration. 'apikiln token' asks this one until it stops.`,
        );
      writeContact(path, this.#contact(this.#server));
      this.#path = path;
      // Also after an error.
      process.once('exit', this.#remove);
    } catch (error) {
      this.#isBroken = true;
      this.terminal.log(
        error instanceof CommandError
          ? screen`'apikiln token' cannot ask this dev. ${screen.text(error.message)}`
          : screen`'apikiln token' cannot ask this dev: ${screen.text(reason(error))}.`,
      );
    }
  }

  async close(): Promise<void> {
    this.#remove();
    await this.#server?.close();
  }

  readonly #remove = (): void => {
    process.off('exit', this.#remove);
    if (this.#path === undefined || this.#server === undefined) return;
    removeContact(this.#path, this.#contact(this.#server));
    this.#path = undefined;
  };

  #contact({ port }: ControlServer): Contact {
    return { pid: process.pid, started: this.#started, port, secret: this.#secret };
  }
}
