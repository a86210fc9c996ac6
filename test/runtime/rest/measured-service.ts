/** The service of `service/main.ts` as a running process that receives HTTP requests, with measurements of time and memory. */
import { Agent, request } from 'node:http';
import { startProcess, type Started } from '../start-process.js';

/** The response of the service. */
export interface MeasuredResponse {
  readonly status: number;
  /** Null for an empty body. */
  readonly body: unknown;
  readonly milliseconds: number;
}

/** A request to the service. */
export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

/** Resident memory in bytes. */
export interface Memory {
  /** The peak since the last measurement. */
  readonly peak: number;
  /** After garbage collection. */
  readonly now: number;
  /** Used heap in bytes after garbage collection. */
  readonly heap: number;
}

/** URLs of the third parties, including credentials. */
export interface Parties {
  readonly third: string;
  readonly closed: string;
  readonly calm: string;
}

export class MeasuredService {
  private constructor(
    readonly process: Started,
    readonly port: number,
  ) {}

  static async start(parties: Parties, variables: Readonly<Record<string, string>> = {}) {
    const process = startProcess('./rest/service/main.ts', {
      DATASOURCE_THIRD_URL: parties.third,
      DATASOURCE_CLOSED_URL: parties.closed,
      DATASOURCE_CALM_URL: parties.calm,
      DATASOURCE_THIRD_HEADER_X_API_KEY: 'none',
      ...variables,
    });
    return new MeasuredService(process, await process.port());
  }

  /**
   * Sends a request on a new keep-alive connection: with `Connection: close`, the server would close it right after an early response, and
   * a client that is still sending might lose that response.
   */
  ask(path: string, { method = 'GET', headers = {}, body }: Asking = {}): Promise<MeasuredResponse> {
    const start = performance.now();
    const agent = new Agent({ keepAlive: true });
    return new Promise<MeasuredResponse>((resolve, reject) => {
      const options = { port: this.port, host: '127.0.0.1', method, path, agent };
      const asking = request({ ...options, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({
            status: response.statusCode ?? 0,
            body: text === '' ? null : (JSON.parse(text) as unknown),
            milliseconds: performance.now() - start,
          });
        });
      });
      asking.on('error', reject);
      asking.end(body);
    }).finally(() => {
      agent.destroy();
    });
  }

  async memory(): Promise<Memory> {
    return (await this.ask('/memory')).body as Memory;
  }

  async stop(): Promise<void> {
    this.process.child.kill('SIGKILL');
    await this.process.ended;
  }
}

/** The message of an error, or the value as JSON. */
export function responseOf({ body }: MeasuredResponse): string {
  if (typeof body === 'object' && body !== null && 'message' in body) return String(body.message);
  return JSON.stringify(body);
}
