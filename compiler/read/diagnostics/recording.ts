/** Records findings for later use: for a cached part of a file, or for a result that may be discarded. */
import type { Span, Source } from '../source.js';
import type { Finding, Recorded } from './finding.js';
import { Report } from './report.js';

/** Keeps a plain list that `Report.replay` adds in each compilation, at current positions. */
export class Recording extends Report {
  readonly all: Recorded[] = [];
  readonly #unread = new Set<string>();
  #hasErrors = false;

  override ignoreInside(spans: readonly Span[]): void {
    for (const span of spans) this.all.push({ kind: 'ignored', span });
  }

  override addAlias(anchored: Span, alias: Span): void {
    this.all.push({ kind: 'alias', span: alias, anchored });
  }

  override isIncomplete({ path }: Source): boolean {
    return this.#unread.has(path);
  }

  override get hasErrors(): boolean {
    return this.#hasErrors;
  }

  override addFinding(finding: Finding): void {
    if (finding.code === 'invalid-yaml') this.#unread.add(finding.span.source.path);
    if (finding.entry.severity === 'error') this.#hasErrors = true;
    this.all.push({ kind: 'finding', ...finding });
  }
}
