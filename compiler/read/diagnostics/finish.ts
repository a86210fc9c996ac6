/** Makes diagnostics of all findings at the end: words, without secrets, in the order of the file. */
import { currentSpan, type Source, type Span } from '../source.js';
import type { Aliases } from './aliases.js';
import type { Entry, Wording } from './catalogue/entry-messages.js';
import type { Diagnostic, Related, Severities } from './diagnostic.js';
import type { DisabledLines } from './disabled-lines.js';
import type { Finding } from './finding.js';
import { editOf, type Edit, type Fix } from './fix.js';
import { conceal, concealed } from './secrets/conceal.js';
import { distrust } from './secrets/secrets.js';

/** A longer text would be more than anybody reads, and many of them more than anybody waits for. */
const longestText = 2000;

/** The number of uses of one name that are kept. */
const maxRelated = 1000;

/** The message of a further use of the subject of a diagnostic. */
export const alsoUsedHere = 'also here';

/** Codes of a file that may be something else than it was read as. */
const misunderstood = new Set(['missing-specification', 'not-a-configuration']);

/** Facts that are known when everything has been found. */
export interface Circumstances {
  readonly severities: Severities;
  readonly disabled: DisabledLines | undefined;
  readonly aliases: Aliases;
  /** Whether YAML could not read a part of it. */
  readonly isIncomplete: (source: Source) => boolean;
}

/**
 * All diagnostics in file order, without those that the user has turned off. A file that YAML could not read completely is first, because
 * it may be the cause of other errors.
 */
export function finish(found: readonly Finding[], circumstances: Circumstances): Diagnostic[] {
  const { severities, disabled, isIncomplete } = circumstances;
  for (const { code, span } of found)
    if (misunderstood.has(code) || isIncomplete(span.source)) distrust(currentSpan(span).source);
  const groups = new Map<string, Diagnostic[]>();
  for (const [index, finding] of found.entries()) {
    const { code, span } = finding;
    if (severities.get(code) === 'off' || disabled?.hold(code, span) === true) continue;
    const { diagnostic, subject } = worded(finding, circumstances);
    const key = subject ? JSON.stringify([code, span.source.path, subject]) : String(index);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [diagnostic]);
    else group.push(diagnostic);
  }
  const rank = ({ span }: Diagnostic): number => (isIncomplete(span.source) ? 0 : 1);
  return [...groups.values()]
    .flatMap(asOne)
    .sort(
      (a, b) =>
        rank(a) - rank(b) ||
        compare(a.span.source.path, b.span.source.path) ||
        a.span.start - b.span.start ||
        compare(a.code, b.code),
    );
}

/** With its subject, which makes one diagnostic of several. */
function worded(
  { code, entry, span, parameters }: Finding,
  { severities, aliases }: Circumstances,
): { readonly diagnostic: Diagnostic; readonly subject: string | undefined } {
  const wording = entry.wordingOf(...conceal(parameters, entry.marks, span));
  const note = aliases.noteOn(span);
  const isShared = note !== undefined && wording.isOfOperation === true;
  const advice = isShared ? 'Write it once for each syntax.' : undefined;
  const hints = [wording.hint, note, advice].flatMap((hint) => hint ?? []);
  const fix = isShared ? undefined : fixIn(wording, span, () => entry.wordingOf(...parameters));
  const diagnostic = {
    code,
    severity: severityOf(code, entry, severities),
    message: cut(wording.message),
    ...(hints.length === 0 ? {} : { hint: cut(hints.join(' ')) }),
    ...(fix === undefined ? {} : { fix }),
    span: currentSpan(span),
    related: (wording.related ?? []).map((one) => ({ ...one, span: currentSpan(one.span) })),
  };
  return { diagnostic, subject: wording.subject };
}

function severityOf(
  code: string,
  { severity }: Entry<never[]>,
  severities: Severities,
): Diagnostic['severity'] {
  const wanted = severities.get(code);
  return wanted === undefined || wanted === 'off' ? severity : wanted;
}

/** A concealed text cannot be written: `plain` has the words before concealing. */
function fixIn(
  { instead, yamlInstead, insteadOf, edits = [], isSuggestion = false }: Wording,
  span: Span,
  plain: () => Wording,
): Fix | undefined {
  if (edits.length > 0) return { edits, isSafe: !isSuggestion };
  const text = yamlInstead ?? instead;
  if (text === undefined || text.includes(concealed)) return undefined;
  const meant = plain();
  if (text !== (meant.yamlInstead ?? meant.instead)) return undefined;
  const edit = editOf(insteadOf ?? span, text, yamlInstead !== undefined);
  return edit && { edits: [edit], isSafe: !isSuggestion };
}

/** The first diagnostic in the file, with the spans of the others; empty for an empty list. */
function asOne(group: readonly Diagnostic[]): Diagnostic[] {
  if (group.length <= 1) return [...group];
  const [first, ...others] = [...group].sort((a, b) => a.span.start - b.span.start);
  if (first === undefined) return [];
  const uses = others.slice(0, maxRelated).map(({ span }): Related => ({ span, message: alsoUsedHere }));
  const { fix: ofFirst, ...rest } = first;
  const fixes = [ofFirst, ...others.map(({ fix }) => fix)].flatMap((fix) => fix ?? []);
  const fix = fixes.length === group.length ? asOneFix(fixes) : undefined;
  return [{ ...rest, related: [...first.related, ...uses], ...(fix === undefined ? {} : { fix }) }];
}

/** One fix with the edits of all; undefined where two would change the same text. */
function asOneFix(fixes: readonly Fix[]): Fix | undefined {
  const edits = fixes.flatMap((fix): readonly Edit[] => fix.edits).sort((a, b) => a.start - b.start);
  const isClear = edits.every(({ start }, index) => start >= (edits[index - 1]?.end ?? 0));
  return isClear ? { edits, isSafe: fixes.every(({ isSafe }) => isSafe) } : undefined;
}

function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)}…`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
