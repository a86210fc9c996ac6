/** `apikiln check --fix`: applies the safe fixes to the configuration, until there are none left. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { togetherOf, withEdits } from '../../read/diagnostics/apply-fixes.js';
import type { Diagnostic } from '../../read/diagnostics/diagnostic.js';
import type { Fix } from '../../read/diagnostics/fix.js';
import { isSecret } from '../../read/diagnostics/print/print-json.js';
import { position, type Source } from '../../read/source.js';
import { CommandError, exitStatus } from './shared/exit-status.js';
import { reason } from './shared/read-text.js';

/** A fixed error, at one position or at several; lines are those of the text before. */
export interface AppliedFix {
  readonly code: string;
  readonly line: number;
  /** The text after the fix; undefined where it must not be shown. */
  readonly text: string | undefined;
  /** Further lines that were changed, each once. */
  readonly others: readonly number[];
}

/** After one fix another one can become possible; no configuration needs this many rounds. */
const maxRounds = 20;

/**
 * Applies the safe fixes of the configuration's diagnostics, runs `examine` again, and repeats this until there are none left. Returns the
 * resulting text and the applied fixes, in order.
 */
export async function applySafeFixes(
  source: Source,
  examine: (config: Source) => Promise<readonly Diagnostic[]>,
): Promise<{ readonly text: string; readonly applied: readonly AppliedFix[] }> {
  const applied: AppliedFix[] = [];
  /** Each text so far, and how many fixes led to it. */
  const seen = new Map([[source.text, 0]]);
  let config = source;
  for (let round = 0; round < maxRounds; round += 1) {
    const fixes = safeFixesOf(await examine(config), config);
    if (fixes.length === 0) break;
    const appliedFixes = fixes.map((one) => appliedOf(one, config));
    const edits = fixes.flatMap(({ fix }) => fix.edits);
    config = { path: config.path, text: withEdits(config.text, edits) };
    const before = seen.get(config.text);
    if (before !== undefined) {
      // Fixes that undo each other would never end: this is the text before the first of them.
      applied.length = before;
      break;
    }
    applied.push(...appliedFixes);
    seen.set(config.text, applied.length);
  }
  return { text: config.text, applied };
}

interface Fixed {
  readonly code: string;
  readonly fix: Fix;
}

/** The safe fixes that can be applied together. */
function safeFixesOf(diagnostics: readonly Diagnostic[], config: Source): Fixed[] {
  const safe = diagnostics.flatMap(({ code, fix, span }): Fixed[] =>
    fix?.isSafe === true && span.source.path === config.path ? [{ code, fix }] : [],
  );
  return togetherOf(safe, config.text.length);
}

function appliedOf({ code, fix }: Fixed, config: Source): AppliedFix {
  const [line = 1, ...others] = new Set(fix.edits.map(({ start }) => position(config, start).line));
  const [first] = fix.edits;
  const text = first === undefined || isSecret(config, first) ? undefined : first.text;
  return { code, line, text, others };
}

/** Writes the text where the file is: its mode, owner and links stay, and so does a byte order mark. Throws a CommandError. */
export function writeFixed(absolute: string, shown: string, text: string): void {
  try {
    if (!statSync(absolute).isFile())
      throw new CommandError(exitStatus.environment, `${shown} cannot be written: it is not a file.`);
    const hasMark = readFileSync(absolute).subarray(0, 3).equals(byteOrderMark);
    const bytes = Buffer.from(text, 'utf8');
    writeFileSync(absolute, hasMark ? Buffer.concat([byteOrderMark, bytes]) : bytes);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(exitStatus.environment, `${shown} cannot be written: ${reason(error)}.`);
  }
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
