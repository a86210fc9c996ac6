/** Diagnostics of a part of a file that is cached: replayed in each compilation, at the current positions of the part. */
import type { Span, Source } from '../source.js';
import type { Entry } from './catalogue/entry-messages.js';
import { Report } from './report.js';

/** One report, and where it is. */
export interface Recorded {
  readonly span: Span | undefined;
  readonly replay: (report: Report) => void;
}

/** Reports nothing by itself. */
export class Recording extends Report {
  readonly all: Recorded[] = [];
  readonly #unread = new Set<string>();

  override ignoreInside(spans: readonly Span[]): void {
    for (const span of spans)
      this.all.push({
        span,
        replay: (report) => {
          report.ignoreInside([span]);
        },
      });
  }

  override addAlias(anchored: Span, alias: Span): void {
    this.all.push({
      span: alias,
      replay: (report) => {
        report.addAlias(anchored, alias);
      },
    });
  }

  override isIncomplete({ path }: Source): boolean {
    return this.#unread.has(path);
  }

  override addEntry<Parameters extends readonly unknown[]>(
    code: string,
    entry: Entry<Parameters>,
    span: Span,
    ...parameters: Parameters
  ): void {
    if (code === 'invalid-yaml') this.#unread.add(span.source.path);
    this.all.push({
      span,
      replay: (report) => {
        report.addEntry(code, entry, span, ...parameters);
      },
    });
  }
}

/** Reports all of them, in their order. */
export function replayAll(recorded: readonly Recorded[], report: Report): void {
  for (const { replay } of recorded) replay(report);
}
