/** `apikiln check --fix`: applies safe fixes to the configuration's files until none are left. */
import { closeSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { togetherOf, withEdits } from '../../read/diagnostics/apply-fixes.js';
import type { Diagnostic } from '../../read/diagnostics/diagnostic.js';
import type { Fix } from '../../read/diagnostics/fix.js';
import { isSecret } from '../../read/diagnostics/print/print-json.js';
import { position, type Source } from '../../read/source.js';
import { CommandError, exitStatus } from './shared/output/exit-status.js';
import { reason } from './shared/files/read-text.js';

/** A fixed error, at one or more positions; line numbers refer to the text before the fix. */
export interface AppliedFix {
  readonly code: string;
  /** Path of the file. */
  readonly file: string;
  readonly line: number;
  /** The text after the fix; undefined if it may be secret. */
  readonly text: string | undefined;
  /** Other changed lines, without duplicates. */
  readonly others: readonly number[];
}

/** A fix can make another one possible; no configuration needs this many rounds. */
const maxRounds = 20;

/** The state of a configuration after the fixes applied so far: its diagnostics, and the files that were read. */
export interface ExaminedFiles {
  readonly diagnostics: readonly Diagnostic[];
  /** Files by path. */
  readonly files: ReadonlyMap<string, Source>;
}

/** Texts of changed files by path, and the applied fixes in order. */
export interface AppliedFixes {
  readonly texts: ReadonlyMap<string, string>;
  readonly applied: readonly AppliedFix[];
}

/**
 * Applies the safe fixes of the diagnostics to the files of a configuration, runs `examine` with the changed texts, and repeats until no
 * fixes are left. A fix that would cause a new error is not applied.
 */
export async function applySafeFixes(
  examine: (texts: ReadonlyMap<string, string>) => Promise<ExaminedFiles>,
): Promise<AppliedFixes> {
  let texts: ReadonlyMap<string, string> = new Map();
  const applied: AppliedFix[] = [];
  const refused = new Set<string>();
  /** All texts seen so far, with the number of fixes applied before each. */
  const seen = new Map<string, number>();
  let examined = await examine(texts);
  for (let round = 0; round < maxRounds; round += 1) {
    const { diagnostics, files } = examined;
    const fixes = [...files.values()]
      .flatMap((source) => safeFixesOf(diagnostics, source))
      .filter((fixed) => !refused.has(changeOf(fixed)));
    if (fixes.length === 0) break;
    const changed = new Map([...texts, ...changedBy(fixes)]);
    const after = await examine(changed);
    const wrong = fixes.filter((fixed) => isWrong(fixed, fixes, after.diagnostics));
    if (wrong.length > 0) {
      for (const fixed of wrong) refused.add(changeOf(fixed));
      continue;
    }
    seen.set(keyOf(texts, files), applied.length);
    [texts, examined] = [changed, after];
    const before = seen.get(keyOf(texts, files));
    if (before !== undefined) {
      // Fixes that undo each other would never end, so the result is the texts before the first of these fixes.
      applied.length = before;
      break;
    }
    applied.push(...fixes.map(appliedOf));
  }
  return { texts, applied };
}

/** A key for a change, independent of positions shifted by other fixes. */
function changeOf({ code, fix, source }: Fixed): string {
  const edits = fix.edits.map(({ start, end, text }) => [source.text.slice(start, end), text]);
  return JSON.stringify([code, source.path, edits]);
}

/** Whether the text written by the fix has an error without a safe fix. */
function isWrong({ fix, source }: Fixed, all: readonly Fixed[], after: readonly Diagnostic[]): boolean {
  const beside = all.flatMap((one) => (one.source === source ? one.fix.edits : []));
  const written = fix.edits.map((edit) => {
    const shift = beside
      .filter(({ start }) => start < edit.start)
      .reduce((sum, { start, end, text }) => sum + text.length - (end - start), 0);
    return { start: edit.start + shift, end: edit.start + shift + edit.text.length };
  });
  return after.some(
    ({ severity, span, fix: next }) =>
      severity === 'error' &&
      next?.isSafe !== true &&
      span.source.path === source.path &&
      written.some(({ start, end }) => span.start >= start && span.start < end && span.end <= end),
  );
}

/** A key for the current texts of all files. */
function keyOf(texts: ReadonlyMap<string, string>, files: ExaminedFiles['files']): string {
  return JSON.stringify([...files].map(([path, source]) => [path, texts.get(path) ?? source.text]));
}

interface Fixed {
  readonly code: string;
  readonly fix: Fix;
  readonly source: Source;
}

/** Safe fixes of a file that can be applied together. */
function safeFixesOf(diagnostics: readonly Diagnostic[], source: Source): Fixed[] {
  const safe = diagnostics.flatMap(({ code, fix, span }): Fixed[] =>
    fix?.isSafe === true && span.source.path === source.path ? [{ code, fix, source }] : [],
  );
  return togetherOf(safe, source.text.length);
}

/** Texts of the files changed by the fixes. */
function changedBy(fixes: readonly Fixed[]): Map<string, string> {
  const sources = new Set(fixes.map(({ source }) => source));
  return new Map(
    [...sources].map((source) => {
      const edits = fixes.flatMap((one) => (one.source === source ? one.fix.edits : []));
      return [source.path, withEdits(source.text, edits)];
    }),
  );
}

function appliedOf({ code, fix, source }: Fixed): AppliedFix {
  const [line = 1, ...others] = new Set(fix.edits.map(({ start }) => position(source, start).line));
  const [first] = fix.edits;
  const text = first === undefined || isSecret(source, first) ? undefined : first.text;
  return { code, file: source.path, line, text, others };
}

/** A file with its fixed text; `shown` is the path displayed to the user. */
export interface FixedFile {
  readonly absolute: string;
  readonly shown: string;
  readonly text: string;
}

/**
 * Writes the texts in place, so that modes, owners, links and byte order marks are kept. Writes either all files or none. Throws a
 * CommandError.
 */
export function writeFixed(files: readonly FixedFile[]): void {
  const opened: { readonly file: FixedFile; readonly descriptor: number; readonly before: Buffer }[] = [];
  const written: typeof opened = [];
  const attempt = <Result>({ shown }: FixedFile, work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      if (error instanceof CommandError) throw error;
      throw new CommandError(exitStatus.environment, `${shown} cannot be written: ${reason(error)}.`);
    }
  };
  try {
    for (const file of files)
      attempt(file, () => {
        if (!statSync(file.absolute).isFile())
          throw new CommandError(
            exitStatus.environment,
            `${file.shown} cannot be written: it is not a file.`,
          );
        const descriptor = openSync(file.absolute, 'r+');
        opened.push({ file, descriptor, before: readFileSync(descriptor) });
      });
    for (const one of opened)
      attempt(one.file, () => {
        written.push(one);
        const hasMark = one.before.subarray(0, 3).equals(byteOrderMark);
        const bytes = Buffer.from(one.file.text, 'utf8');
        replace(one.descriptor, hasMark ? Buffer.concat([byteOrderMark, bytes]) : bytes);
      });
  } catch (error) {
    // The disk may be full, but there is always room for the old contents.
    for (const { descriptor, before } of written) replace(descriptor, before);
    throw error;
  } finally {
    for (const { descriptor } of opened) closeSync(descriptor);
  }
}

function replace(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at, bytes.length - at, at);
  ftruncateSync(descriptor, bytes.length);
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
