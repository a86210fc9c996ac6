/** Finds the files matched by the `include` patterns. */
import type { Report } from '../../diagnostics/report.js';
import type { Source, Span } from '../../source.js';
import type { Budget } from '../yaml/budget.js';
import type { ScalarNode } from '../yaml/node.js';
import { withoutDot } from './patterns.js';

/** A file matched by a pattern. */
export interface MatchedFile {
  /** The path relative to the configuration's folder, separated by `/`. */
  readonly name: string;
  /** Identifies the file; equal for different names of the same file. */
  readonly id: string;
  /** The text of the file and its path for messages, or the reason why it cannot be included. */
  read(): Omit<Source, 'includedAs'> | { readonly problem: string; readonly hint: string };
}

/** Finds the files matched by a valid pattern. */
export type FindIncluded = (pattern: string) => readonly MatchedFile[];

/** Access to the files of a configuration. */
export interface ConfigFiles {
  readonly find: FindIncluded;
  /** Called for each file before its diagnostics are reported. */
  readonly begin: (source: Source) => void;
}

/** For a configuration that consists of a single file. */
export const oneFile: ConfigFiles = { find: () => [], begin: () => undefined };

/** The files matched by the patterns, without duplicates and sorted by name. Reports errors in patterns and files. */
export function includedSources(
  patterns: readonly ScalarNode[],
  { find }: Pick<ConfigFiles, 'find'>,
  budget: Budget,
  report: Report,
): Source[] {
  const matched = new Map<string, { readonly file: MatchedFile; readonly span: Span }>();
  for (const { text, span } of patterns) {
    const files = find(withoutDot(text.value));
    if (files.length === 0)
      report.add('wrong-include', span, {
        problem: `'${text.value}' matches no file`,
        hint: 'Patterns begin at the folder of the configuration. Hidden files are never included.',
      });
    for (const file of files) {
      const other = matched.get(file.id);
      if (other === undefined || compare(file.name, other.file.name) < 0)
        matched.set(file.id, { file, span: other?.span ?? span });
    }
  }
  const sources: Source[] = [];
  for (const { file, span } of [...matched.values()].sort((a, b) => compare(a.file.name, b.file.name))) {
    const same = sources.at(-1)?.includedAs === file.name;
    const read = same
      ? {
          problem: 'has the same name as another file, but for the form of its characters',
          hint: 'Give one of the two another name.',
        }
      : file.read();
    if ('problem' in read) {
      report.add('wrong-include', span, { problem: `'${file.name}' ${read.problem}`, hint: read.hint });
    } else if (budget.takeText(read.text)) {
      sources.push({ path: read.path, text: read.text, includedAs: file.name });
    } else {
      const source = { ...read, includedAs: file.name };
      report.add('too-large', { source, start: 0, end: 0 }, { what: 'file', limit: budget.textLimit });
      break;
    }
  }
  return sources;
}

/** Compares by code unit, which gives the same order on every system. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
