/** Diagnostics of a part of a file that is kept: reported anew in each compilation, at the places that the part has then. */
import type { Place, Source } from '../source.js';
import type { Entry } from './catalogue/entry-messages.js';
import { Report } from './report.js';

/** One report, and where it is. */
export interface Recorded {
  readonly place: Place | undefined;
  readonly tell: (report: Report) => void;
}

/** Reports nothing by itself. */
export class Recording extends Report {
  readonly all: Recorded[] = [];
  readonly #unread = new Set<string>();

  override ignoreInside(places: readonly Place[]): void {
    for (const place of places)
      this.all.push({
        place,
        tell: (report) => {
          report.ignoreInside([place]);
        },
      });
  }

  override addAlias(anchored: Place, alias: Place): void {
    this.all.push({
      place: alias,
      tell: (report) => {
        report.addAlias(anchored, alias);
      },
    });
  }

  override isIncomplete({ path }: Source): boolean {
    return this.#unread.has(path);
  }

  override tell<Parameters extends readonly unknown[]>(
    code: string,
    entry: Entry<Parameters>,
    place: Place,
    ...parameters: Parameters
  ): void {
    if (code === 'invalid-yaml') this.#unread.add(place.source.path);
    this.all.push({
      place,
      tell: (report) => {
        report.tell(code, entry, place, ...parameters);
      },
    });
  }
}

/** Reports all of them, in their order. */
export function tellAll(recorded: readonly Recorded[], report: Report): void {
  for (const { tell } of recorded) tell(report);
}
