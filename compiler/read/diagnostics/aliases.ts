/** Tracks which parts of a file are used by YAML aliases: a diagnostic there may be about the use at the alias. */
import { position, type Span } from '../source.js';

/** Maximum number of aliases that are recorded, because every diagnostic checks all of them. */
const maxAliases = 500;
/** Maximum number of lines to list. */
const maxLines = 3;

interface Use {
  readonly anchored: Span;
  readonly alias: Span;
}

export class Aliases {
  readonly #uses: Use[] = [];

  /** Records that `alias` uses the value at `anchored`. */
  add(anchored: Span, alias: Span): void {
    if (this.#uses.length < maxAliases) this.#uses.push({ anchored, alias });
  }

  /** A sentence that lists the lines of aliases that use the value at the span; undefined if there are none. */
  noteOn({ source, start, end }: Span): string | undefined {
    const lines = new Set<number>();
    for (const { anchored, alias } of this.#uses) {
      if (anchored.source !== source || start < anchored.start || end > anchored.end) continue;
      lines.add(position(source, alias.start).line);
    }
    if (lines.size === 0) return undefined;
    if (lines.size === 1) return `The alias in line ${[...lines].join('')} also uses this.`;
    const named = [...lines].slice(0, maxLines).join(', ');
    const rest = lines.size > maxLines ? ` and ${lines.size - maxLines} more` : '';
    return `The aliases in lines ${named}${rest} also use this.`;
  }
}
