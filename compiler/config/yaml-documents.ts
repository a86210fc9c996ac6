/** One configuration is one YAML 1.2 document: directives and further documents are reported, and the rest is read. */
import type { Report } from '../diagnostics/report.js';
import type { Source } from '../source.js';

/** The text without a `%YAML` line, which would change how values are read. */
export function blankDirective(source: Source, report: Report): string {
  const { text } = source;
  const directive = /^(?:(?:[ \t]*#.*|[ \t]*)\r?\n)*(%YAML[^\r\n]*)/.exec(text);
  const written = directive?.[1];
  if (directive === null || written === undefined) return text;
  const start = directive[0].length - written.length;
  report.add('yaml-version', { source, start, end: start + written.length });
  return `${text.slice(0, start)}${'#'.repeat(written.length)}${text.slice(start + written.length)}`;
}

/** Makes one document of several; the lines between them become comments. */
export function joinDocuments(source: Source, text: string, report: Report): string {
  const markers = [...text.matchAll(/^(?:---|\.\.\.)(?=\s|$)/gm)].map(({ index }) => index);
  const between = markers.filter((marker) => {
    const isFirst = /^(?:\s*(?:[#%].*)?(?:\n|$))*$/.test(text.slice(0, Math.min(marker, 10_000)));
    const isLast = text.startsWith('.', marker) && /^\.\.\.\s*$/.test(text.slice(marker));
    return !isFirst && !isLast;
  });
  const [first] = between;
  if (first === undefined) return text;
  report.add('several-documents', { source, start: first, end: first + 3 });
  let joined = text;
  for (const marker of between) joined = `${joined.slice(0, marker)}#  ${joined.slice(marker + 3)}`;
  return joined;
}
