/** The generated service in its worker, as the page sees it. */
import type { FromService, PageRequest, Project, ShownFile, ToService } from './messages.js';

type Responded = Extract<FromService, { kind: 'responded' }>;

export class ServiceClient {
  #worker: Worker | undefined;
  readonly #waiting = new Map<number, { resolve(answer: FromService): void; reject(error: Error): void }>();
  #last = 0;
  /** The files and the project of the running service. */
  #started: { readonly files: readonly ShownFile[]; readonly project: Project } | undefined;

  /** Sends a request to the service of these files, which have the test page; starts it if it does not run. A changed schema or seed begins with a new database. */
  async send(files: readonly ShownFile[], project: Project, request: PageRequest): Promise<Responded> {
    const before = this.#started;
    const isSame = (file: keyof Project): boolean => before?.project[file] === project[file];
    if (before !== undefined && !(isSame('schema.sql') && isSame('seed.sql'))) this.reset();
    if (this.#started?.files !== files || !isSame('.env')) {
      await this.#ask({ kind: 'start', id: ++this.#last, files, project });
      this.#started = { files, project };
    }
    const answer = await this.#ask({ kind: 'request', id: ++this.#last, request, isTraced: true });
    if (answer.kind !== 'responded') throw new Error('The service did not respond');
    return answer;
  }

  /** Ends the service and its database; the next request starts both again. */
  reset(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#started = undefined;
    for (const { reject } of this.#waiting.values()) reject(new Error('The database was reset'));
    this.#waiting.clear();
  }

  async #ask(message: ToService): Promise<FromService> {
    const worker = (this.#worker ??= this.#open());
    const answer = await new Promise<FromService>((resolve, reject) => {
      this.#waiting.set(message.id, { resolve, reject });
      worker.postMessage(message);
    });
    // A service that did not start begins with a new database.
    if (answer.kind === 'failed') {
      this.reset();
      throw new Error(answer.message);
    }
    return answer;
  }

  #open(): Worker {
    const worker = new Worker(new URL('service-worker.js', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<FromService>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      waiting?.resolve(data);
    });
    worker.addEventListener('error', ({ message }) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(message));
      this.#waiting.clear();
    });
    return worker;
  }
}
