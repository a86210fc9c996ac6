/** Fixes errors found by the YAML parser, so that the rest of the configuration is checked in the same run. */
import type { Document } from 'yaml';
import { withEdits } from '../../diagnostics/apply-fixes.js';
import type { Edit } from '../../diagnostics/fix.js';
import type { Report } from '../../diagnostics/report.js';
import { startOfLine, type Source } from '../../source.js';
import { Entries } from './blank-entry.js';
import { flowValues } from './flow-value.js';
import { yaml } from '../../../notation/yaml-writer.js';
import { quotableValue, type Quotable } from './quotable.js';
import { Complaints, type Complaint } from './yaml-complaint.js';
import { blankDirective, joinDocuments } from './yaml-documents.js';
import type { YamlFix } from './fix/yaml-fixer.js';
import { yamlFixes } from './fix/yaml-fixes.js';
import { FixedText, type ReadText } from './fix/yaml-fixed.js';

/** Maximum number of times that the file is parsed. Each round fixes everything that the previous one complained about. */
const maxRounds = 16;

/** A configuration that YAML can parse, and the parts that are missing. */
export interface Repaired {
  readonly document: Document.Parsed;
  readonly fixed: ReadText;
  /** The starts of unknown values in the fixed text. */
  readonly holes: ReadonlySet<number>;
  /** The positions of omitted lines in the fixed text, in order. */
  readonly lost: readonly number[];
}

/**
 * Fixes the source line by line and parses it. Each error is reported with its fix, and the surrounding text is read. Values that need
 * quotes are quoted. Unreadable lines are omitted, and whole operations only as a last resort. Undefined if the error affects the whole
 * file. Runs in linear time: the number of rounds does not depend on the number of errors.
 */
export function repairYaml(
  source: Source,
  report: Report,
  parse: (text: string) => Document.Parsed,
): Repaired | undefined {
  const repair = new Repair(source, report);
  const repaired = repair.run(parse);
  repair.reportAll();
  return repaired;
}

class Repair {
  /** A text of the same length as the source, with directives and markers blanked. */
  #base: string;
  #fixes: readonly YamlFix[] = [];
  /** Values that are read with quotes, by the start of their line. */
  readonly #quoted = new Map<number, readonly Quotable[]>();
  /** Lines that have other errors, which quotes did not fix. */
  readonly #hopeless = new Set<number>();
  /** Starts of unreadable values, and of omitted lines. */
  readonly #holes = new Map<number, Edit>();
  readonly #lost = new Map<number, Edit>();

  constructor(
    private readonly source: Source,
    private readonly report: Report,
  ) {
    this.#base = joinDocuments(source, blankDirective(source, report), report);
  }

  run(parse: (text: string) => Document.Parsed): Repaired | undefined {
    for (let round = 0; round < maxRounds; round += 1) {
      const fixed = new FixedText(this.source, this.#base, this.#edits());
      const document = parse(fixed.text);
      const complaints: Complaint[] = [...document.errors, ...document.warnings].sort(
        (a, b) => a.pos[0] - b.pos[0],
      );
      if (complaints.length === 0) return this.#repaired(document, fixed);
      if (round === 0) this.#fixes = yamlFixes(this.source, this.#base);
      if (round === 0 && this.#fixes.length > 0) continue;
      const lines = new Set(complaints.map(({ pos }) => startOfLine(this.source, fixed.offset(pos[0]))));
      if (this.#unquote(lines) || this.#quote(lines)) continue;
      if (!this.#leaveOut(document, fixed, complaints)) return undefined;
    }
    return undefined;
  }

  #repaired(document: Document.Parsed, fixed: FixedText): Repaired {
    const starts = [...this.#holes.values()].map(({ start }) => fixed.fixedOffset(start));
    const lost = [...this.#lost.values()].map(({ start }) => fixed.fixedOffset(start));
    return { document, fixed, holes: new Set(starts), lost: lost.sort((a, b) => a - b) };
  }

  /** All edits to apply before parsing, at most one per position. */
  #edits(): Edit[] {
    const edits = [
      ...this.#lost.values(),
      ...this.#holes.values(),
      ...[...this.#quoted.values()].flat().flatMap(quoting),
      ...this.#fixes.flatMap((fix) => fix.edits),
    ];
    const order = new Map(edits.map((edit, index) => [edit, index]));
    const sorted = edits.sort((a, b) => a.start - b.start || (order.get(a) ?? 0) - (order.get(b) ?? 0));
    let end = 0;
    return sorted.filter((edit) => {
      if (edit.start < end) return false;
      end = edit.end;
      return true;
    });
  }

  /** Quotes the values on these lines that need quotes; false if there are none. */
  #quote(lines: ReadonlySet<number>): boolean {
    let any = false;
    for (const line of lines) {
      if (this.#quoted.has(line) || this.#hopeless.has(line)) continue;
      const values = quotableValues(this.source, line);
      if (values.length === 0) continue;
      if (!values.every(({ written, span }) => this.#base.startsWith(written, span.start))) continue;
      this.#quoted.set(line, values);
      any = true;
    }
    return any;
  }

  /** Removes the quotes again if complaints remain; false if there are none. */
  #unquote(lines: ReadonlySet<number>): boolean {
    let any = false;
    for (const line of lines) {
      if (!this.#quoted.delete(line)) continue;
      this.#hopeless.add(line);
      any = true;
    }
    return any;
  }

  /** Omits the value that caused the complaint, or else its line, or else its operation. Handles one complaint per entry at a time. */
  #leaveOut(document: Document.Parsed, fixed: FixedText, list: readonly Complaint[]): boolean {
    const complaints = new Complaints(fixed.readSource, document, list);
    const entries = new Entries(this.#base, this.source.includedAs === undefined ? 'sections' : 'entries');
    const seen = new Set<number | undefined>();
    const blanks: Edit[] = [];
    for (const complaint of list) {
      const entry = entries.startAt(fixed.offset(complaint.pos[0]));
      if (seen.has(entry)) continue;
      seen.add(entry);
      const { start, end, problem, hint } = complaints.explain(complaint, (offset) => {
        return entries.startAt(fixed.offset(offset)) === entry;
      });
      const span = fixed.span({ start, end });
      const line = startOfLine(this.source, span.start);
      if (!this.#holes.has(line) && !this.#lost.has(line)) {
        this.report.add('invalid-yaml', span, {
          problem,
          hint,
          edits: [],
          isSafe: false,
          isTab: false,
        });
      }
      if (this.#leaveOutOf(line)) continue;
      const blank = entries.blank(span.start);
      if (blank === undefined) return false;
      this.report.ignoreInside([{ source: this.source, start: blank.start, end: blank.end }]);
      this.#forget(blank.start, blank.end);
      blanks.push(blank.edit);
    }
    const changed = [...blanks].sort((a, b) => a.start - b.start);
    this.#base = withEdits(
      this.#base,
      changed.filter((edit, index) => edit.start >= (changed[index - 1]?.end ?? 0)),
    );
    return true;
  }

  /** Omits the value of the line, or the whole line if it has no value; false if already tried. */
  #leaveOutOf(line: number): boolean {
    if (this.#lost.has(line)) return false;
    const lineEnd = this.source.text.indexOf('\n', line);
    const written = this.#base.slice(line, lineEnd === -1 ? undefined : lineEnd);
    const value = quotableValue(this.source, line);
    if (value !== undefined && !this.#holes.has(line) && !/^[|>]/.test(value.written)) {
      const { start, end } = value.span;
      this.#holes.set(line, { start, end, text: 'x'.repeat(end - start) });
      return true;
    }
    const text = written.trimEnd();
    if (text.trim() === '') return false;
    this.#holes.delete(line);
    this.#lost.set(line, { start: line, end: line + text.length, text: ' '.repeat(text.length) });
    return true;
  }

  /** Stops applying (but still reports) fixes in an omitted part. */
  #forget(start: number, end: number): void {
    const isInside = (at: number): boolean => at >= start && at < end;
    this.#fixes = this.#fixes.filter((fix) => !isInside(fix.start));
    for (const map of [this.#holes, this.#lost, this.#quoted])
      for (const line of [...map.keys()]) if (isInside(line)) map.delete(line);
  }

  reportAll(): void {
    const { source } = this;
    for (const { start, end, problem, hint, edits, isSafe, isTab = false } of this.#fixes)
      this.report.add('invalid-yaml', { source, start, end }, { problem, hint, edits, isSafe, isTab });
    const values = [...this.#quoted.values()].flat();
    for (const { span, written, quoted, reason, isSecret } of values) {
      if (written.startsWith('!') && !isSecret) {
        const tag = written.split(/\s/)[0] ?? '!';
        this.report.add('yaml-tag', { ...span, end: span.start + tag.length }, { tag, quoted });
      } else {
        this.report.add('needs-quotes', span, {
          problem: reason ?? '',
          quoted,
          isInDoubleQuotes: written.startsWith('"'),
        });
      }
    }
    this.report.ignoreInside(values.map(({ span }) => span));
  }
}

/** The value of the whole line, or the values inside its braces. */
function quotableValues(source: Source, lineStart: number): readonly Quotable[] {
  const whole = quotableValue(source, lineStart);
  return whole?.reason === undefined ? flowValues(source, lineStart) : [whole];
}

/** Edits that quote the value as a single string, leaving the characters in between unchanged. */
function quoting({ span: { start, end }, written, quoted }: Quotable): Edit[] {
  // The value already has quotes around it that were not meant to be part of the string.
  const own = quoted === yaml.quoted(written) || written.length < 2 ? 0 : 1;
  const inside = [...written.slice(own, written.length - own).matchAll(/'/g)].map(({ index }): Edit => {
    const at = start + own + index;
    return { start: at, end: at + 1, text: "''" };
  });
  return [{ start, end: start + own, text: "'" }, ...inside, { start: end - own, end, text: "'" }];
}
