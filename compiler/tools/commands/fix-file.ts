/** `apikiln check --fix`: applies the safe fixes to the files of the configuration, until there are none left. */
import { closeSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { togetherOf, withEdits } from '../../read/diagnostics/apply-fixes.js';
import type { Diagnostic } from '../../read/diagnostics/diagnostic.js';
import type { Fix } from '../../read/diagnostics/fix.js';
import { isSecret } from '../../read/diagnostics/print/print-json.js';
import { position, type Source } from '../../read/source.js';
import { CommandError, exitStatus } from './shared/output/exit-status.js';
import { reason } from './shared/files/read-text.js';

/** A fixed error, at one position or at several; line numbers refer to the text before the fix. */
export interface AppliedFix {
  readonly code: string;
  /** The path of the file. */
  readonly file: string;
  readonly line: number;
  /** The text after the fix; undefined where it must not be shown. */
  readonly text: string | undefined;
  /** Further lines that were changed, each once. */
  readonly others: readonly number[];
}

/** After one fix another one can become possible; no configuration needs this many rounds. */
const maxRounds = 20;

/** The facts about a configuration with the fixes so far: its diagnostics, and the files read for them. */
export interface ExaminedFiles {
  readonly diagnostics: readonly Diagnostic[];
  /** By path. */
  readonly files: ReadonlyMap<string, Source>;
}

/** The texts of changed files by path, and the applied fixes, in order. */
export interface AppliedFixes {
  readonly texts: ReadonlyMap<string, string>;
  readonly applied: readonly AppliedFix[];
}

/**
 * Applies the safe fixes of the diagnostics in the files of a configuration, runs `examine` with the changed texts, and repeats this until
 * no fixes are left. A fix that would cause an error without another fix is not applied.
 */
export async function applySafeFixes(
  examine: (texts: ReadonlyMap<string, string>) => Promise<ExaminedFiles>,
): Promise<AppliedFixes> {
  let texts: ReadonlyMap<string, string> = new Map();
  const applied: AppliedFix[] = [];
  const refused = new Set<string>();
  /** The texts so far, and how many fixes led to them. */
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
      // Fixes that undo each other would never end: these are the texts before the first of them.
      applied.length = before;
      break;
    }
    applied.push(...fixes.map(appliedOf));
  }
  return { texts, applied };
}

/** The same for the same change, wherever it is after other fixes. */
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

/** The same for the same texts. */
function keyOf(texts: ReadonlyMap<string, string>, files: ExaminedFiles['files']): string {
  return JSON.stringify([...files].map(([path, source]) => [path, texts.get(path) ?? source.text]));
}

interface Fixed {
  readonly code: string;
  readonly fix: Fix;
  readonly source: Source;
}

/** The safe fixes of a file that can be applied together. */
function safeFixesOf(diagnostics: readonly Diagnostic[], source: Source): Fixed[] {
  const safe = diagnostics.flatMap(({ code, fix, span }): Fixed[] =>
    fix?.isSafe === true && span.source.path === source.path ? [{ code, fix, source }] : [],
  );
  return togetherOf(safe, source.text.length);
}

/** The texts of the files that the fixes change. */
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

/** A file with its fixed text; `shown` is its path as the user knows it. */
export interface FixedFile {
  readonly absolute: string;
  readonly shown: string;
  readonly text: string;
}

/**
 * Writes the texts in place, so modes, owners, links and byte order marks are kept. Either all files are written, or none. Throws a
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
    // The disk may be full, but the old content fits in its old place.
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
