/** A service under test, with questions that it answers in addition to requests. */
import type { TestResponse, Question } from '../../../runtime/testing/under-test.js';
import { LocalService, type LocalServiceOptions } from '../local/local-service.js';

export class AskedService {
  readonly #open = new Map<
    number,
    { resolve: (response: TestResponse) => void; reject: (error: Error) => void }
  >();
  #next = 0;
  #log: string[] = [];
  readonly #secrets = new Set<string>();

  private constructor(private readonly service: LocalService) {
    service.listen((message) => {
      const response = message as TestResponse & { readonly secret?: string };
      if (response.secret !== undefined) this.#secrets.add(response.secret);
      this.#open.get(response.id)?.resolve(response);
      this.#open.delete(response.id);
    });
    void service.ended.then((status) => {
      for (const { reject } of this.#open.values())
        reject(new Error(`the service ended with status ${String(status)}`));
    });
  }

  static async start(options: Omit<LocalServiceOptions, 'print'>): Promise<AskedService> {
    const early: string[] = [];
    let take = (line: string): void => void early.push(line);
    const service = await LocalService.start({
      ...options,
      print: (line) => {
        take(line);
      },
    });
    const asked = new AskedService(service);
    take = (line) => void asked.#log.push(line);
    return asked;
  }

  get url(): string {
    return this.service.url;
  }

  /** Random strings, passwords, hashes and other secrets of all calls so far. Complete for calls that ended before the last answer. */
  get secrets(): ReadonlySet<string> {
    return this.#secrets;
  }

  /** Lines logged by the service since the last call. */
  takeLog(): string[] {
    const log = this.#log;
    this.#log = [];
    return log;
  }

  /** Throws an Error with the reason if the service could not do it, or has exited. */
  async ask(question: Question): Promise<TestResponse> {
    this.#next += 1;
    const id = this.#next;
    const response = await new Promise<TestResponse>((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.service.send({ id, ...question });
    });
    if (response.error !== undefined) throw new Error(response.error);
    return response;
  }

  /** Does not wait for remaining work. */
  async stop(): Promise<void> {
    await this.service.kill();
  }
}
