/** Metrics of the process: memory, CPU, open files, event loop, garbage collection, start time. */
import { readdirSync, readFileSync } from 'node:fs';
import {
  constants,
  monitorEventLoopDelay,
  performance,
  PerformanceObserver,
  type PerformanceEntry,
} from 'node:perf_hooks';
import { gauge, Histogram, type Family } from './metrics.js';

/**
 * Metrics that do not change while a service runs: start time and version. With several processes, only the primary process reports
 * them.
 */
export function identity(version: string): Family[] {
  const started = (Date.now() - process.uptime() * 1000) / 1000;
  return [
    gauge('process_start_time_seconds', 'When the service started, in seconds since 1970.', [[{}, started]]),
    gauge('service_build_info', 'Always 1; the version of the service, and that of Node.', [
      [{ version, node: process.versions.node }, 1],
    ]),
  ];
}

/** Milliseconds between two measurements of the event loop. Any additional time counts as delay. */
const resolution = 10;

/** The maximum event loop delay since the last scrape. A delay that begins directly after a measurement counts for the next scrape. */
class LongestDelay {
  private longest = 0;
  private last = performance.now();

  constructor() {
    setInterval(() => {
      this.tick();
    }, resolution).unref();
  }

  /** The maximum in seconds. Resets the maximum. */
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

/** Measures the event loop and garbage collection. */
export class ProcessMetrics {
  private readonly delay = monitorEventLoopDelay({ resolution });
  private readonly longest = new LongestDelay();
  private readonly collections = new Histogram(
    'nodejs_gc_duration_seconds',
    'How long the garbage collection stopped the process, by kind: minor, incremental, major or weakcb.',
    [0.001, 0.01, 0.1, 1, 2, 5],
  );

  constructor() {
    this.delay.enable();
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        this.collections.observe({ kind: kindOf(entry) }, entry.duration / 1000);
    });
    observer.observe({ entryTypes: ['gc'] });
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
      ...descriptors(),
      sum('nodejs_heap_size_total_bytes', 'Heap that is reserved.', heapTotal),
      sum('nodejs_heap_size_used_bytes', 'Heap that is used.', heapUsed),
      sum('nodejs_external_memory_bytes', 'Memory outside the heap, such as buffers.', external),
      worst('nodejs_eventloop_lag_p50_seconds', 'Delay of the event loop since the last look, median.', p50),
      worst('nodejs_eventloop_lag_p99_seconds', '99th percentile of it.', p99),
      worst('nodejs_eventloop_lag_max_seconds', 'The longest of it.', max),
      this.collections.collect(),
    ];
  }
}

function sum(name: string, help: string, value: number): Family {
  return gauge(name, help, [[{}, value]]);
}

function worst(name: string, help: string, value: number): Family {
  return gauge(name, help, [[{}, value]], 'max');
}

/** The number of open files and connections; empty on systems other than Linux, which do not report it. */
function descriptors(): Family[] {
  try {
    const open = readdirSync('/proc/self/fd').length;
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return [
      // One of them was the listed directory itself.
      sum('process_open_fds', 'Open files and connections.', open - 1),
      ...(limit === undefined
        ? []
        : [sum('process_max_fds', 'How many of them are allowed.', Number(limit))]),
    ];
  } catch {
    return [];
  }
}

const kinds: ReadonlyMap<number | undefined, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

function kindOf(entry: PerformanceEntry): string {
  // The type declarations of Node lack `detail`.
  const { detail } = entry as { readonly detail?: { readonly kind?: number } };
  return kinds.get(detail?.kind) ?? 'major';
}
