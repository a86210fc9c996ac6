/** What the process takes, under the names that dashboards for Node.js know. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { gauge, type Family } from './metrics.js';

/** How often the delay of the event loop is looked at, in milliseconds; what lies beyond it is the delay. */
const resolution = 10;

/** The longest delay of the event loop between two looks; a block that begins right behind a look counts for the next one. */
class LongestDelay {
  private longest = 0;
  private last = performance.now();

  constructor() {
    setInterval(() => {
      this.tick();
    }, resolution).unref();
  }

  /** Seconds; begins anew. */
  take(): number {
    this.tick();
    const { longest } = this;
    this.longest = 0;
    return longest / 1000;
  }

  private tick(): void {
    const now = performance.now();
    this.longest = Math.max(this.longest, now - this.last - resolution);
    this.last = now;
  }
}

/** Watches the event loop while it lives. */
export class ProcessMetrics {
  private readonly delay = monitorEventLoopDelay({ resolution });
  private readonly longest = new LongestDelay();

  constructor() {
    this.delay.enable();
  }

  collect(): Family[] {
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const max = this.longest.take();
    const delays = [this.delay.percentile(50), this.delay.percentile(99)];
    const [p50 = 0, p99 = 0] = delays.map((nanoseconds) =>
      Math.max(0, nanoseconds / 1e9 - resolution / 1000),
    );
    this.delay.reset();
    return [
      {
        name: 'process_cpu_seconds_total',
        help: 'Time of the processor, user and system.',
        type: 'counter',
        together: 'sum',
        samples: [['', (user + system) / 1e6]],
      },
      sum('process_resident_memory_bytes', 'Memory of the process.', rss),
      sum('nodejs_heap_size_total_bytes', 'Heap that is reserved.', heapTotal),
      sum('nodejs_heap_size_used_bytes', 'Heap that is used.', heapUsed),
      sum('nodejs_external_memory_bytes', 'Memory outside the heap, such as buffers.', external),
      worst('nodejs_eventloop_lag_p50_seconds', 'Delay of the event loop since the last look, median.', p50),
      worst('nodejs_eventloop_lag_p99_seconds', '99th percentile of it.', p99),
      worst('nodejs_eventloop_lag_max_seconds', 'The longest of it.', max),
    ];
  }
}

function sum(name: string, help: string, value: number): Family {
  return gauge(name, help, [[{}, value]]);
}

function worst(name: string, help: string, value: number): Family {
  return gauge(name, help, [[{}, value]], 'max');
}
