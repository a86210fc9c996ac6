/** A configuration is a single YAML 1.2 document. Reports directives and further documents, and reads the rest. */
import type { Report } from '../../diagnostics/report.js';
import type { Source } from '../../source.js';

/** The text with any `%YAML` line blanked, which would change how values are read. */
export function blankDirective(source: Source, report: Report): string {
  const { text } = source;
  const directive = /^(?:(?:[ \t]*#.*|[ \t]*)\r?\n)*(%YAML[^\r\n]*)/.exec(text);
  const written = directive?.[1];
  if (directive === null || written === undefined) return text;
  const start = directive[0].length - written.length;
  report.add('yaml-version', { source, start, end: start + written.length });
  return `${text.slice(0, start)}${'#'.repeat(written.length)}${text.slice(start + written.length)}`;
}

/** Joins several documents by turning the lines between them into comments. */
export function joinDocuments(source: Source, text: string, report: Report): string {
  const markers = [...text.matchAll(/^(?:---|\.\.\.)(?=\s|$)/gm)].map(({ index }) => index);
  const content = firstContent(text);
  const end = text.trimEnd().length;
  const between = markers.filter((marker) => {
    const isLast = text.startsWith('.', marker) && marker + 3 === end;
    return marker > content && !isLast;
  });
  const [first] = between;
  if (first === undefined) return text;
  report.add('several-documents', { source, start: first, end: first + 3 });
  const pieces = between.map((marker, index) => `#  ${text.slice(marker + 3, between[index + 1])}`);
  return text.slice(0, first) + pieces.join('');
}

/** The start of the first line that is not empty, a comment, a directive or a marker. */
function firstContent(text: string): number {
  const line = /[^\S\n]*([^\s#%][^\n]*)?[^\n]*(?:\n|$)/y;
  while (line.lastIndex < text.length) {
    const start = line.lastIndex;
    const written = line.exec(text)?.[1];
    if (written !== undefined && !/^(?:---|\.\.\.)(?:\s|$)/.test(written)) return start;
  }
  return text.length;
}
