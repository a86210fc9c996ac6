/** The files that the patterns of `include` match. */
import type { Report } from '../../diagnostics/report.js';
import type { Source, Span } from '../../source.js';
import type { Budget } from '../yaml/budget.js';
import type { ScalarNode } from '../yaml/node.js';
import { withoutDot } from './patterns.js';

/** A file that a pattern matches. */
export interface MatchedFile {
  /** Its path from the folder of the configuration, with `/`. */
  readonly name: string;
  /** The same for two names of one file. */
  readonly id: string;
  /** Its text, and its path for messages; or why it cannot be included. */
  read(): Omit<Source, 'includedAs'> | { readonly problem: string; readonly hint: string };
}

/** Finds the files that a pattern matches, which is one that can be matched. */
export type FindIncluded = (pattern: string) => readonly MatchedFile[];

/** Where the files of a configuration come from. */
export interface ConfigFiles {
  readonly find: FindIncluded;
  /** Learns of each file before anything of it is reported. */
  readonly begin: (source: Source) => void;
}

/** For a configuration that is one file. */
export const oneFile: ConfigFiles = { find: () => [], begin: () => undefined };

/** The files that match the patterns, each once, in the order of their names; errors in them are reported. */
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

/** By their code units: the same on every system. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
