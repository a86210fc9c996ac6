/** Code actions of the language server: one per fix in a range, and one that applies all safe fixes. */
import { CodeActionKind, type CodeAction, type Range } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { togetherOf, withEdits } from '../../../read/diagnostics/apply-fixes.js';
import type { Diagnostic } from '../../../read/diagnostics/diagnostic.js';
import type { Explanations } from '../../../read/diagnostics/explanation.js';
import type { Fix } from '../../../read/diagnostics/fix.js';
import type { Span } from '../../../read/source.js';
import { toProtocol } from './protocol-diagnostic.js';
import { editIn, uriOf } from './protocol-position.js';

export const fixAll = `${CodeActionKind.SourceFixAll}.apikiln`;

/** An editor's request: the fixes for these diagnostics in this range of the document. */
interface Asked {
  readonly document: TextDocument;
  /** Path of the configuration that the document belongs to. */
  readonly configuration: string;
  readonly explanations: Explanations;
  readonly diagnostics: readonly Diagnostic[];
  readonly range: Range;
  /** The requested kinds; undefined for all. */
  readonly only: readonly string[] | undefined;
}

export function codeActions(asked: Asked): CodeAction[] {
  const { document, configuration, explanations, diagnostics, range, only } = asked;
  const { uri } = document;
  const text = document.getText();
  const isWanted = (kind: string): boolean =>
    only === undefined || only.some((wanted) => kind === wanted || kind.startsWith(`${wanted}.`));
  const isHere = ({ source }: Span): boolean => uriOf(source.path, configuration) === uri;
  const own = diagnostics.flatMap(({ fix, ...rest }) =>
    fix !== undefined && isHere(rest.span) ? [{ ...rest, fix }] : [],
  );
  const [start, end] = [document.offsetAt(range.start), document.offsetAt(range.end)];
  const here = own
    .filter(({ span, related }) =>
      [span, ...related.map((one) => one.span)].some(
        (one) => isHere(one) && one.start <= end && start <= one.end,
      ),
    )
    .sort((a, b) => Number(b.fix.isSafe) - Number(a.fix.isSafe));
  const quick = here.map((diagnostic): CodeAction => ({
    title: titleOf(diagnostic, text),
    kind: CodeActionKind.QuickFix,
    isPreferred: diagnostic.fix.isSafe,
    diagnostics: [toProtocol(diagnostic, explanations, (file) => uriOf(file, configuration))],
    edit: { changes: { [uri]: diagnostic.fix.edits.map((edit) => editIn(document, edit)) } },
  }));
  const safe = togetherOf(
    own.filter(({ fix }) => fix.isSafe),
    text.length,
  );
  const all: CodeAction = {
    title: safe.length === 1 ? 'Apply the safe fix' : `Apply ${safe.length} safe fixes`,
    kind: fixAll,
    edit: {
      changes: { [uri]: safe.flatMap(({ fix }) => fix.edits).map((edit) => editIn(document, edit)) },
    },
  };
  return [
    ...(isWanted(CodeActionKind.QuickFix) ? quick : []),
    ...(isWanted(fixAll) && safe.length > 0 ? [all] : []),
  ];
}

/** The text written by the fix, on one line. */
function titleOf({ fix, code, hint }: Diagnostic & { readonly fix: Fix }, text: string): string {
  const [edit, ...others] = fix.edits;
  if (edit === undefined || others.length > 0) return hint ?? `Fix ${code}`;
  const written = text.slice(edit.start, edit.end);
  const instead = withEdits(written, [{ start: 0, end: written.length, text: edit.text }]).trim();
  const shown = instead.replaceAll(/\s+/g, ' ');
  if (shown === '') return `Remove '${cut(written.trim())}'`;
  return written.trim() === '' ? `Insert '${cut(shown)}'` : `Write '${cut(shown)}'`;
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
