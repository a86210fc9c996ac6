/** Counters, gauges and histograms in the Prometheus text format (exposition format 0.0.4). */

/** All samples of a metric, in the form that processes of a service exchange. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** How values of several processes are combined. */
  readonly together: 'sum' | 'max';
  /** Samples by the rest of the name and the labels: `_bucket{operation="x",le="0.1"}`. */
  readonly samples: readonly (readonly [string, number])[];
}

/** Label values by name. The values are from the configuration, so there are only a few. */
export type Labels = Readonly<Record<string, string>>;

interface Count {
  readonly labels: Labels;
  value: number;
}

/** A counter. */
export class Counter {
  private readonly counts = new Map<string, Count>();

  constructor(
    private readonly name: string,
    private readonly help: string,
  ) {}

  add(labels: Labels): void {
    const key = keyOf(labels);
    const count = this.counts.get(key);
    if (count === undefined) this.counts.set(key, { labels, value: 1 });
    else count.value += 1;
  }

  collect(): Family {
    const samples = [...this.counts.values()].map(({ labels, value }) => [labelText(labels), value] as const);
    return { name: this.name, help: this.help, type: 'counter', together: 'sum', samples };
  }
}

interface Distribution {
  readonly labels: Labels;
  /** A count for each bound, followed by one for larger values. */
  readonly counts: number[];
  sum: number;
}

/** A histogram of durations in seconds. */
export class Histogram {
  private readonly distributions = new Map<string, Distribution>();

  constructor(
    private readonly name: string,
    private readonly help: string,
    /** Upper bounds, in ascending order. */
    private readonly bounds: readonly number[],
  ) {}

  observe(labels: Labels, seconds: number): void {
    const key = keyOf(labels);
    let distribution = this.distributions.get(key);
    if (distribution === undefined) {
      distribution = { labels, counts: Array.from({ length: this.bounds.length + 1 }, () => 0), sum: 0 };
      this.distributions.set(key, distribution);
    }
    const found = this.bounds.findIndex((bound) => seconds <= bound);
    const index = found === -1 ? this.bounds.length : found;
    distribution.counts[index] = (distribution.counts[index] ?? 0) + 1;
    distribution.sum += seconds;
  }

  collect(): Family {
    const samples = [...this.distributions.values()].flatMap((distribution) => this.samplesOf(distribution));
    return { name: this.name, help: this.help, type: 'histogram', together: 'sum', samples };
  }

  private samplesOf({ labels, counts, sum }: Distribution): (readonly [string, number])[] {
    let total = 0;
    const buckets = counts.map((count, index): readonly [string, number] => {
      total += count;
      const le = index < this.bounds.length ? String(this.bounds[index]) : '+Inf';
      return [`_bucket${labelText({ ...labels, le })}`, total];
    });
    return [...buckets, [`_sum${labelText(labels)}`, sum], [`_count${labelText(labels)}`, total]];
  }
}

/** A gauge with the current values. */
export function gauge(
  name: string,
  help: string,
  samples: readonly (readonly [Labels, number])[],
  together: Family['together'] = 'sum',
): Family {
  const written = samples.map(([labels, value]) => [labelText(labels), value] as const);
  return { name, help, type: 'gauge', together, samples: written };
}

/** Combines the metrics of several processes. */
export function merge(processes: readonly (readonly Family[])[]): Family[] {
  const merged = new Map<string, Family & { readonly samples: [string, number][] }>();
  const values = new Map<string, Map<string, number>>();
  for (const family of processes.flat()) {
    merged.set(family.name, { ...family, samples: [] });
    const known = values.get(family.name) ?? new Map<string, number>();
    values.set(family.name, known);
    for (const [key, value] of family.samples) {
      const before = known.get(key);
      const sum = family.together === 'sum' ? (before ?? 0) + value : Math.max(before ?? value, value);
      known.set(key, sum);
    }
  }
  return [...merged.values()].map((family) => ({ ...family, samples: [...(values.get(family.name) ?? [])] }));
}

/** The metrics in the Prometheus text format. */
export function expose(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(([key, value]) => `${name}${key} ${value}\n`).join('');
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines}`;
    })
    .join('');
}

/** A key for label values, which are always passed in the same order. Kept fast, because it runs for every request and statement. */
function keyOf(labels: Labels): string {
  return Object.values(labels).join('\0');
}

function labelText(labels: Labels): string {
  const written = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return written.length === 0 ? '' : `{${written.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
