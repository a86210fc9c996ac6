/** Turns all findings into diagnostics: creates the messages, conceals secrets, and sorts by position. */
import { currentSpan, type Source, type Span } from '../source.js';
import type { Aliases } from './aliases.js';
import type { Entry, Wording } from './catalogue/entry-messages.js';
import type { Diagnostic, Related, Severities } from './diagnostic.js';
import type { DisabledLines } from './disabled-lines.js';
import type { Finding } from './finding.js';
import { editOf, type Edit, type Fix } from './fix.js';
import { conceal, concealed } from './secrets/conceal.js';
import { distrust } from './secrets/secrets.js';

/** Longer messages are truncated: nobody reads them, and many of them are slow. */
const longestText = 2000;

/** Maximum number of related uses that are kept per diagnostic. */
const maxRelated = 1000;

/** The message for further uses of a diagnostic's subject. */
export const alsoUsedHere = 'also here';

/** Codes for files that may be of a different kind than assumed. */
const misunderstood = new Set(['missing-specification', 'not-a-configuration']);

/** Facts that are known only after all findings. */
export interface Circumstances {
  readonly severities: Severities;
  readonly disabled: DisabledLines | undefined;
  readonly aliases: Aliases;
  /** Whether a part of the source is invalid YAML. */
  readonly isIncomplete: (source: Source) => boolean;
}

/**
 * All diagnostics in file order, without those turned off by the user. Files with invalid YAML come first, because the YAML error may cause
 * other diagnostics.
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

/** The diagnostic of a finding, and its subject for merging. */
function worded(
  { code, entry, span, parameters }: Finding,
  { severities, aliases }: Circumstances,
): { readonly diagnostic: Diagnostic; readonly subject: string | undefined } {
  const wording = entry.wordingOf(...conceal(parameters, entry.marks, span));
  const note = aliases.noteOn(span);
  const isShared = note !== undefined && wording.isOfOperation === true;
  const hints = [wording.hint, note, note && wording.ifShared].flatMap((hint) => hint ?? []);
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

/** The fix for the wording; undefined if it would write a concealed text. `plain` returns the wording without concealment. */
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

/** Merges diagnostics into the first one of the file, with the other spans as related positions. */
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

/** A single fix with all edits; undefined if edits overlap. */
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
