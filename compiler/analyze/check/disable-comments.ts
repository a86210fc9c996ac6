/** Comments in the configuration that disable diagnostics: `# apikiln-disable-next-line CODE[, CODE] [-- reason]`. */
import type { Code, ParametersOf } from '../../read/diagnostics/catalogue.js';
import type { Config } from '../../read/config/config-model.js';
import { DisabledLines } from '../../read/diagnostics/disabled-lines.js';
import type { Report } from '../../read/diagnostics/report.js';
import type { Sink } from '../../read/diagnostics/finding.js';
import { Trial } from '../../read/diagnostics/trial.js';
import { isRiskCode, riskCodes } from '../../read/diagnostics/risk-codes.js';
import { isInBlock } from '../../read/diagnostics/yaml-line.js';
import type { Source } from '../../read/source.js';
import { everyMessage } from './rule-list.js';
import { wordSet } from '../../read/wordset.js';

/** Matches comment lines that address this tool, even if misspelled. */
const directive = /^([ \t]*#+[ \t]*)(apikiln[ \t:-]*(?:disable|enable|ignore|off)[\w-]*)(?:[ \t:]+(.*))?$/i;
const directiveName = 'apikiln-disable-next-line';

/** Reads the comments of a file before other diagnostics of the file are reported, and reports errors in the comments. */
export function readDisableComments(source: Source, report: Report): void {
  if (!source.text.includes('apikiln')) return;
  report.disabled ??= new DisabledLines();
  readComments(source, report, { diagnostics: report.disabled, risks: new DisabledLines() });
}

/** The comments in a configuration's files that accept risks found by `audit`. */
export function acceptedRisks({ source, included }: Pick<Config, 'source' | 'included'>): DisabledLines {
  const risks = new DisabledLines();
  for (const file of [source, ...included])
    readComments(file, new Trial(), { diagnostics: new DisabledLines(), risks });
  return risks;
}

function readComments(
  source: Source,
  report: Pick<Sink, 'add'>,
  { diagnostics, risks }: { readonly diagnostics: DisabledLines; readonly risks: DisabledLines },
): void {
  let start = 0;
  const lines = source.text.split('\n');
  for (const [index, text] of lines.entries()) {
    const line = text.replace(/\r$/, '');
    const reportAt: ReportAt = (code, from, length, ...parameters) => {
      report.add(code, { source, start: start + from, end: start + from + length }, ...parameters);
    };
    if (line.includes('apikiln') && !isInBlock(source, index + 1)) {
      const next = nextLine(lines, index);
      for (const { code, from, reason } of codesOf(line, next, reportAt)) {
        const span = { source, start: start + from, end: start + from + code.length };
        (isRiskCode(code) ? risks : diagnostics).add(next, { code, span, reason });
      }
    }
    start += text.length + 1;
  }
}

type ReportAt = <C extends Code>(
  code: C,
  from: number,
  length: number,
  ...parameters: ParametersOf<C>
) => void;

/** The codes in a comment that can be disabled, with their columns (from 0). */
function codesOf(
  line: string,
  next: number,
  reportAt: ReportAt,
): { code: string; from: number; reason: string }[] {
  const [, before = '', name = '', rest = ''] = directive.exec(line) ?? [];
  if (name === '') {
    const from = line.indexOf(directiveName);
    if (from !== -1 && /[ \t]#+$/.test(line.slice(Math.max(0, from - 20), from).trimEnd()))
      reportAt('wrong-comment', from, directiveName.length, {
        problem: 'it is not on a separate line',
        hint: `Write ${formWith(line.slice(from + directiveName.length))} above the line.`,
      });
    return [];
  }
  const wrong = (problem: string, hint: string): [] => {
    reportAt('wrong-comment', before.length, name.length, { problem, hint });
    return [];
  };
  if (name !== directiveName) return wrong(`'${name}' is not known`, `Write ${formWith(rest)}.`);
  const [written = '', ...others] = rest.split(/(?:^|\s)--(?:\s|$)/);
  const reason = others.join(' -- ').trim();
  const codes = [...written.matchAll(/[^\s,]+/g)];
  if (codes.length === 0)
    return wrong(
      'it names no code',
      `Write the code of the diagnostic after it, for example: # ${directiveName} unread-result`,
    );
  if (next === 0) return wrong('no line follows', 'Write it above the line of the diagnostic.');
  const first = line.length - rest.length;
  return codes.flatMap(({ 0: code, index }) => {
    const from = first + index;
    const entry = everyMessage[code];
    if (isRiskCode(code)) {
      if (reason !== '') return [{ code, from, reason }];
      reportAt('wrong-comment', from, code.length, {
        problem: `'${code}' is a risk that audit finds, and accepting it needs a reason`,
        hint: `Write the reason after two dashes: # ${directiveName} ${code} -- why it is accepted`,
      });
    } else if (entry === undefined)
      reportAt('unknown-code', from, code.length, { code, codes: [...allCodes(), ...riskCodes] });
    else if (!canBeLowered(code)) reportAt('cannot-be-disabled', from, code.length, { code });
    else return [{ code, from, reason }];
    return [];
  });
}

/** The correct form of the comment, with the codes as written. */
function formWith(rest: string): string {
  const codes = rest.split(/(?:^|\s)--(?:\s|$)/)[0]?.match(/[a-z][a-z-]+/g) ?? [];
  return `# ${directiveName} ${codes.length === 0 ? 'unread-result' : codes.join(', ')}`;
}

/** The next line (from 1) that is neither empty nor a comment; 0 if there is none. */
function nextLine(lines: readonly string[], index: number): number {
  return lines.findIndex((line, other) => other > index && !/^\s*(?:#|$)/.test(line)) + 1;
}

/** Whether the user can lower or disable the diagnostic. */
export function canBeLowered(code: string): boolean {
  const entry = everyMessage[code];
  return entry !== undefined && (entry.severity === 'warning' || entry.canBeLowered === true);
}

/** All diagnostic codes, sorted. */
export function allCodes(): string[] {
  return Object.keys(everyMessage).sort();
}

/** Codes that are only reported if a database was asked. */
const ofDatabases = wordSet(`
  sql-refused value-never-fits unknown-column null-in-response missing-row response-type response-value
  missing-response-field undescribed-response-field never-true always-true
`);

/**
 * Reports codes in comments that do not disable anything. Skipped after errors, which prevent some checks from running. Codes that depend
 * on databases are skipped if no database was asked.
 */
export function reportUnneededComments(report: Report, hasAsked: boolean): void {
  if (report.hasErrors) return;
  for (const { value: code, span } of report.unneededComments)
    if (hasAsked || !ofDatabases.has(code)) report.add('unneeded-comment', span, { code });
}
