/** Converts completions, signatures, symbols and folding ranges to the language server protocol. */
import {
  CompletionItemKind,
  FoldingRangeKind,
  InsertTextFormat,
  SymbolKind,
  type CompletionItem,
  type DocumentSymbol as ProtocolSymbol,
  type MarkupContent,
  type FoldingRange as ProtocolFoldingRange,
  type SignatureHelp as ProtocolSignatureHelp,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Written } from '../../../notation/written.js';
import type { Completion } from '../../editor/completion-item.js';
import type { DocumentSymbol } from '../../editor/document-symbols.js';
import { operationChunks } from '../../editor/focus.js';
import type { FoldingRange } from '../../editor/folding-ranges.js';
import type { SignatureHelp } from '../../editor/signature-help.js';
import { rangeBetween } from './protocol-position.js';

const completionKinds: Readonly<Record<Completion['kind'], CompletionItemKind>> = {
  field: CompletionItemKind.Property,
  word: CompletionItemKind.EnumMember,
  function: CompletionItemKind.Function,
  name: CompletionItemKind.Reference,
  column: CompletionItemKind.Field,
  variable: CompletionItemKind.Variable,
};

export const symbolKinds: Readonly<Record<DocumentSymbol['kind'], SymbolKind>> = {
  operation: SymbolKind.Function,
  fulfillment: SymbolKind.Variable,
  response: SymbolKind.Event,
  trigger: SymbolKind.Event,
  datasource: SymbolKind.Module,
  authentication: SymbolKind.Key,
};

/** Only `Written<'markdown'>` values are shown as Markdown. */
export function markup(value: Written<'markdown'>): MarkupContent {
  return { kind: 'markdown', value };
}

/** `rank` is the index among all completions, which editors would otherwise sort alphabetically. */
export function itemOf(
  completion: Completion,
  rank: number,
  document: TextDocument,
  offset: number,
): CompletionItem {
  const { label, kind, detail, about, insert, isSnippet, replaces } = completion;
  return {
    label,
    kind: completionKinds[kind],
    sortText: String(rank).padStart(5, '0'),
    ...(detail === undefined ? {} : { detail }),
    ...(about === undefined ? {} : { documentation: markup(about) }),
    insertTextFormat: isSnippet === true ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
    textEdit: { range: rangeBetween(document, offset - replaces, offset), newText: insert ?? label },
  };
}

export function symbolOf(one: DocumentSymbol, document: TextDocument): ProtocolSymbol {
  return {
    name: one.name,
    detail: one.detail,
    kind: symbolKinds[one.kind],
    range: rangeBetween(document, one.start, one.end),
    selectionRange: rangeBetween(document, one.nameStart, one.nameEnd),
    children: one.children.map((child) => symbolOf(child, document)),
  };
}

export function signatureHelpOf({ signatures, active, parameter }: SignatureHelp): ProtocolSignatureHelp {
  return {
    signatures: signatures.map(({ label, about, parameters }) => ({
      label,
      documentation: markup(about),
      parameters: parameters.map(([start, end]) => ({ label: [start, end] })),
    })),
    activeSignature: active,
    activeParameter: parameter,
  };
}

export function foldingRangeOf({ start, end, isComment }: FoldingRange): ProtocolFoldingRange {
  return { startLine: start, endLine: end, ...(isComment ? { kind: FoldingRangeKind.Comment } : {}) };
}

/** Completions for operations outside of the analyzed part of a large file. */
export function otherOperations(text: string, own: readonly Completion[]): Completion[] {
  const [first] = own.filter(({ detail }) => detail === 'operation');
  if (first === undefined) return [];
  const known = new Set(own.map(({ label }) => label));
  return operationChunks(text)
    .filter(({ name }) => !known.has(name))
    .map(({ name }) => ({ ...first, label: name }));
}
