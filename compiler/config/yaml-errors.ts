/** Turns the YAML parser's complaints into diagnostics, and gets past those that concern one line, so that the rest is checked too. */
import type { Document, YAMLError } from 'yaml';
import type { Report } from '../diagnostics/report.js';
import type { Place, Source } from '../source.js';

/** Complaints after which the tree is what the author meant. */
const harmless = new Set(['DUPLICATE_KEY', 'MULTIPLE_DOCS']);
const maxRounds = 100;

/**
 * Parses the source. A line `key: value` whose value YAML cannot take as text is reported with its quoted form, and parsed
 * again with a harmless value of the same length, so that every place stays right. Undefined when other complaints remain.
 */
export function repairYaml(
  source: Source,
  report: Report,
  parse: (text: string) => Document.Parsed,
): Document.Parsed | undefined {
  let text = source.text;
  const replaced: Place[] = [];
  for (let round = 0; round < maxRounds; round += 1) {
    const document = parse(text);
    if (document.directives.yaml.explicit === true) {
      report.add('yaml-version', { source, start: 0, end: Math.max(text.indexOf('\n'), 0) });
    }
    const complaints = [...document.errors, ...document.warnings];
    const broken = complaints.filter((complaint) => !harmless.has(complaint.code));
    const lines = new Map<number, YAMLError>();
    for (const complaint of broken) {
      const start = text.lastIndexOf('\n', complaint.pos[0] - 1) + 1;
      if (!lines.has(start)) lines.set(start, complaint);
    }
    let repaired = text;
    for (const [start, complaint] of lines) {
      const value = quotableValue(source, start);
      if (value === undefined || repaired.slice(value.start, value.end) === filler(value)) continue;
      reportLine(source, report, value, complaint);
      replaced.push(value);
      repaired = repaired.slice(0, value.start) + filler(value) + repaired.slice(value.end);
    }
    if (repaired === text) {
      for (const complaint of complaints) reportComplaint(source, report, complaint);
      report.ignoreInside(replaced);
      return broken.length === 0 ? document : undefined;
    }
    text = repaired;
  }
  return undefined;
}

/** The value of a line `key: value` or `- key: value` that is plain text; undefined for other lines. */
export function quotableValue(source: Source, lineStart: number): Place | undefined {
  const lineEnd = source.text.indexOf('\n', lineStart);
  const line = source.text.slice(lineStart, lineEnd === -1 ? undefined : lineEnd);
  const match = /^\s*(?:- +)*[A-Za-z_][\w-]*:[ \t]+([^\s'"|>[{#].*?)\s*$/.exec(line);
  const value = match?.[1];
  if (value === undefined) return undefined;
  const start = lineStart + line.lastIndexOf(value);
  return { source, start, end: start + value.length };
}

/** The text as a single-quoted YAML scalar. */
export function inQuotes(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function filler(value: Place): string {
  return 'x'.repeat(value.end - value.start);
}

function reportLine(source: Source, report: Report, place: Place, complaint: YAMLError): void {
  const written = source.text.slice(place.start, place.end);
  const quoted = inQuotes(written);
  if (written.startsWith('!')) report.add('yaml-tag', place, { tag: written.split(/\s/)[0] ?? '!', quoted });
  else if (/^\*[^\s*]+$/.test(written))
    report.add('unknown-alias', place, { alias: written.slice(1), quoted });
  else report.add('needs-quotes', place, { problem: explain(written, complaint), quoted });
}

function explain(written: string, complaint: YAMLError): string {
  if (complaint.code === 'BLOCK_AS_IMPLICIT_KEY') return `a colon and a space begin a map`;
  const sign = written.charAt(0);
  if (sign === '*') return "a '*' at the beginning is an alias";
  if (sign === '&') return "a '&' at the beginning is an anchor";
  if ('@`%'.includes(sign)) return `'${sign}' cannot begin a text`;
  return decapitalize(complaint.message);
}

function reportComplaint(source: Source, report: Report, complaint: YAMLError): void {
  const [start, end] = complaint.pos;
  const place = { source, start, end };
  const written = source.text.slice(start, end);
  switch (complaint.code) {
    case 'DUPLICATE_KEY':
      report.add('duplicate-key', place, {
        key: /^[^:\n]*/.exec(source.text.slice(start))?.[0].trim() ?? written,
      });
      break;
    case 'MULTIPLE_DOCS':
      report.add('several-documents', place);
      break;
    case 'TAG_RESOLVE_FAILED':
      report.add('yaml-tag', place, { tag: written, quoted: undefined });
      break;
    case 'TAB_AS_INDENT':
      report.add('invalid-yaml', place, { problem: 'a tab cannot indent a line', hint: 'Use spaces.' });
      break;
    default:
      report.add('invalid-yaml', place, { problem: decapitalize(complaint.message), hint: undefined });
  }
}

function decapitalize(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');
}
