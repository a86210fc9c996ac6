/** Load with every hundredth request slow; only the fast requests are reported. */
import { Connection } from './connection.js';
import type { Sample } from './load.js';
import { percentile } from './statistics.js';

/** One request in this many is slow. */
const slowEvery = 100;

/** Coprime with 10,000, so that ids are mixed, in the same order for all servers. */
const stride = 7919;

/** The requests of one run against one server. */
class Run {
  readonly milliseconds: number[] = [];
  failures = 0;
  asked = 0;

  /** `due`: the scheduled time of the request, so that a late generator does not make the server look better. */
  async ask(connection: Connection, due = performance.now()): Promise<void> {
    const index = this.asked++;
    const isSlow = index % slowEvery === slowEvery - 1;
    const status = await connection.ask(isSlow ? '/slow' : `/news/${((index * stride) % 10_000) + 1}`);
    if (status !== 200) this.failures++;
    else if (!isSlow) this.milliseconds.push(performance.now() - due);
  }

  sample(seconds: number): Sample {
    return {
      perSecond: this.milliseconds.length / seconds,
      requests: this.asked,
      p50: percentile(this.milliseconds, 0.5),
      p99: percentile(this.milliseconds, 0.99),
      failures: this.failures,
    };
  }
}

/** `clients` clients that each send the next request after the response. */
export async function closedLoad(url: string, clients: number, seconds: number): Promise<Sample> {
  const run = new Run();
  const start = performance.now();
  const client = async () => {
    const connection = new Connection(new URL(url));
    while (performance.now() - start < seconds * 1000 && !connection.isClosed) await run.ask(connection);
    connection.close();
  };
  await Promise.all(Array.from({ length: clients }, client));
  return run.sample((performance.now() - start) / 1000);
}

/** Sends `perSecond` requests a second, regardless of pending responses, like many independent users. */
export async function steadyLoad(url: string, perSecond: number, seconds: number): Promise<Sample> {
  const run = new Run();
  const idle: Connection[] = [];
  const pending = new Set<Promise<void>>();
  const start = performance.now();
  const total = perSecond * seconds;
  for (let index = 0; index < total;) {
    const due = start + (index * 1000) / perSecond;
    if (due > performance.now()) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      continue;
    }
    index++;
    const connection = idle.pop() ?? new Connection(new URL(url));
    const asking: Promise<void> = run.ask(connection, due).then(() => {
      pending.delete(asking);
      if (!connection.isClosed) idle.push(connection);
    });
    pending.add(asking);
  }
  await Promise.all(pending);
  for (const connection of idle) connection.close();
  return run.sample(seconds);
}
