/** Gets past what the YAML parser complains of, so that the rest of the configuration is checked in the same run. */
import type { Document } from 'yaml';
import type { Report } from '../diagnostics/report.js';
import { startOfLine, type Source } from '../source.js';
import { blankEntry } from './blank-entry.js';
import { flowValues } from './flow-value.js';
import { quotableValue, type Quotable } from './quotable.js';
import { explainComplaint, type Complaint } from './yaml-complaint.js';
import { blankDirective, joinDocuments } from './yaml-documents.js';

/** How many operations or datasources may be left out before the file is given up. */
const mostBlanked = 10;

/**
 * Parses the source. A value that needs quotes is reported with its quoted form and stands for a text of the same length; an
 * operation or datasource whose lines YAML cannot read is reported and left out. Lengths never change, so every place stays right.
 * Undefined when what is wrong concerns the whole file.
 */
export function repairYaml(
  source: Source,
  report: Report,
  parse: (text: string) => Document.Parsed,
): Document.Parsed | undefined {
  const repair = new Repair(source, report);
  const document = repair.run(parse);
  repair.tellQuotes();
  return document;
}

class Repair {
  #text: string;
  /** Values that a text of the same length stands for, by the beginning of their lines. */
  readonly #quoted = new Map<number, readonly Quotable[]>();
  /** Lines where quotes did not help: something else is wrong with them. */
  readonly #hopeless = new Set<number>();

  constructor(
    private readonly source: Source,
    private readonly report: Report,
  ) {
    this.#text = joinDocuments(source, blankDirective(source, report), report);
  }

  run(parse: (text: string) => Document.Parsed): Document.Parsed | undefined {
    for (let blanked = 0; blanked <= mostBlanked;) {
      const document = parse(this.#text);
      const complaints: Complaint[] = [...document.errors, ...document.warnings].sort(
        (a, b) => a.pos[0] - b.pos[0],
      );
      if (complaints.length === 0) return document;
      // What takes the place of something has its length, so the lines are those of the source.
      const lines = new Set(complaints.map(({ pos }) => startOfLine(this.source, pos[0])));
      if (this.#unquote(lines) || this.#quote(lines)) continue;
      const place = explainComplaint(
        this.source,
        this.#text,
        document,
        complaints.slice(0, 100),
        this.report,
      );
      const entry = blankEntry(this.source, this.#text, place.start);
      if (entry === undefined) return undefined;
      this.report.ignoreInside([entry.place]);
      this.#text = entry.text;
      blanked += 1;
    }
    return undefined;
  }

  /** Puts a text in the place of the values that need quotes; false when there is none on these lines. */
  #quote(lines: ReadonlySet<number>): boolean {
    let any = false;
    for (const line of lines) {
      if (this.#quoted.has(line) || this.#hopeless.has(line)) continue;
      const values = quotableValues(this.source, line);
      if (values.length === 0) continue;
      if (!values.every(({ written, place }) => this.#text.startsWith(written, place.start))) continue;
      this.#quoted.set(line, values);
      for (const value of values) this.#put(value, 'x'.repeat(value.written.length));
      any = true;
    }
    return any;
  }

  /** Takes it back where complaints remain. */
  #unquote(lines: ReadonlySet<number>): boolean {
    let any = false;
    for (const line of lines) {
      const values = this.#quoted.get(line);
      if (values === undefined) continue;
      this.#quoted.delete(line);
      this.#hopeless.add(line);
      for (const value of values) this.#put(value, value.written);
      any = true;
    }
    return any;
  }

  #put({ place }: Quotable, text: string): void {
    this.#text = this.#text.slice(0, place.start) + text + this.#text.slice(place.end);
  }

  tellQuotes(): void {
    const values = [...this.#quoted.values()].flat();
    for (const { place, written, quoted, reason, isSecret } of values) {
      if (written.startsWith('!') && !isSecret) {
        this.report.add('yaml-tag', place, { tag: written.split(/\s/)[0] ?? '!', quoted });
      } else {
        this.report.add('needs-quotes', place, { problem: reason ?? '', quoted });
      }
    }
    this.report.ignoreInside(values.map(({ place }) => place));
  }
}

/** The value of a whole line, or those inside of its braces. */
function quotableValues(source: Source, lineStart: number): readonly Quotable[] {
  const whole = quotableValue(source, lineStart);
  return whole?.reason === undefined ? flowValues(source, lineStart) : [whole];
}
