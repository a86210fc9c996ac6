/** `apikiln lsp`: a language server on standard input and output. */
import {
  CodeActionKind,
  createConnection,
  DidChangeWatchedFilesNotification,
  DocumentHighlightKind,
  ProposedFeatures,
  ResponseError,
  TextDocumentEdit,
  TextDocumentSyncKind,
  type Connection,
  type InitializeResult,
  type Location,
  type Position,
  type TextEdit,
} from 'vscode-languageserver/node';
import { join } from 'node:path';
import { readExplanations } from '../../../generate/assets.js';
import type { Explanations } from '../../../read/diagnostics/explanation.js';
import { complete } from '../../editor/complete.js';
import { documentSymbols } from '../../editor/document-symbols.js';
import { foldingRanges } from '../../editor/folding-ranges.js';
import { formatExpressions } from '../../editor/format-expressions.js';
import { hoverAt } from '../../editor/hover.js';
import { occurrenceAt, sameAs, type Occurrence } from '../../editor/occurrences.js';
import { exportOf, fileOfFunction } from '../../typescript/exported-function.js';
import { renamable, rename } from '../../editor/rename.js';
import { sqlNamesAt } from '../../editor/schema/sql-name.js';
import { signatureAt } from '../../editor/signature-help.js';
import { exitStatus } from '../shared/output/exit-status.js';
import { packageFolder, readVersion } from '../shared/files/package-folder.js';
import { codeActions, fixAll } from './protocol-actions.js';
import { rangeIn } from './protocol-diagnostic.js';
import { renameOwnCode, textEdits } from './protocol-rename.js';
import { OpenDocuments } from './protocol-documents.js';
import {
  foldingRangeOf,
  itemOf,
  markup,
  otherOperations,
  signatureHelpOf,
  symbolOf,
} from './protocol-items.js';
import { editIn, pathOf, rangeBetween, uriOf } from './protocol-position.js';
import { DiagnosticsPublisher } from './protocol-publish.js';
import { WorkspaceSymbols } from './workspace-symbols.js';

/** Serves until the client ends the server or disappears; returns the exit status. */
export function lsp(): Promise<number> {
  const connection = createConnection(ProposedFeatures.all, process.stdin, process.stdout);
  const explanations = readExplanations(packageFolder());
  const documents: OpenDocuments = new OpenDocuments({
    changed: (path) => {
      symbols.forget();
      publisher.schedule(path);
    },
    closed: (path) => {
      publisher.close(path);
    },
  });
  const publisher = new DiagnosticsPublisher(connection, explanations, documents);
  let symbols = new WorkspaceSymbols(documents, []);
  const client: Client = { renamesFiles: false };
  connection.onInitialize(({ capabilities: { workspace }, workspaceFolders }) => {
    const { documentChanges, resourceOperations } = workspace?.workspaceEdit ?? {};
    client.renamesFiles = documentChanges === true && resourceOperations?.includes('rename') === true;
    const roots = (workspaceFolders ?? []).map(({ uri }) => uri);
    symbols = new WorkspaceSymbols(
      documents,
      roots.flatMap((uri) => pathOf(uri) ?? []),
    );
    if (workspace?.didChangeWatchedFiles?.dynamicRegistration === true)
      connection.onInitialized(() => {
        watchFiles(connection);
      });
    return initialize();
  });
  handleRequests(connection, documents, publisher, explanations, client);
  connection.onWorkspaceSymbol(({ query }) => symbols.find(query));
  const over = new Promise<number>((resolve) => {
    connection.onExit(() => {
      resolve(exitStatus.fine);
    });
    process.stdin.once('end', () => {
      resolve(exitStatus.fine);
    });
  });
  documents.listen(connection);
  connection.listen();
  return over;
}

/** Capabilities of the editor. */
interface Client {
  /** Whether the editor can rename files as part of an edit. */
  renamesFiles: boolean;
}

function initialize(): InitializeResult {
  return {
    serverInfo: { name: 'apikiln', version: readVersion() },
    capabilities: {
      textDocumentSync: {
        openClose: true,
        change: TextDocumentSyncKind.Incremental,
        save: { includeText: false },
      },
      completionProvider: { triggerCharacters: ['.', '(', '$', '{', '[', ' ', '@', ':'] },
      hoverProvider: true,
      signatureHelpProvider: { triggerCharacters: ['(', ','], retriggerCharacters: [')'] },
      definitionProvider: true,
      referencesProvider: true,
      documentHighlightProvider: true,
      renameProvider: { prepareProvider: true },
      documentSymbolProvider: true,
      workspaceSymbolProvider: true,
      foldingRangeProvider: true,
      documentFormattingProvider: true,
      codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, fixAll] },
    },
  };
}

/** Watches files that a configuration is checked with and that may change outside of the editor. */
function watchFiles(connection: Connection): void {
  connection.client
    .register(DidChangeWatchedFilesNotification.type, {
      watchers: ['**/*.{yaml,yml,json,sql}', '**/src/**/*.ts'].map((globPattern) => ({ globPattern })),
    })
    .catch((error: unknown) => {
      connection.console.warn(
        `Files are not watched: ${error instanceof Error ? error.message : 'refused'}.`,
      );
    });
}

function handleRequests(
  connection: Connection,
  documents: OpenDocuments,
  publisher: DiagnosticsPublisher,
  explanations: Explanations,
  client: Client,
): void {
  connection.onCompletion(async ({ textDocument: { uri }, position }) => {
    const open = documents.get(uri);
    if (open === undefined) return [];
    const { configuration, document, file } = open;
    const { text } = file;
    const offset = document.offsetAt(position);
    return configuration.at(file, offset, (view) => {
      const isFocused = view.source.text !== text;
      const beside = { variables: configuration.variables(), functions: configuration.functions() };
      const own = complete(view.source, view.into(offset), view.analysis, beside);
      // Only part of the file was analyzed, so the names of other operations are taken from its text.
      const all = isFocused ? [...own, ...otherOperations(text, own)] : own;
      return all.map((one, rank) => itemOf(one, rank, document, offset));
    });
  });
  connection.onHover(({ textDocument, position }) =>
    documents.at(textDocument.uri, position, (view, offset, document) => {
      const hover = hoverAt(view.source, offset, view.analysis, { schema: view.schema, now: new Date() });
      return (
        hover && {
          contents: markup(hover.text),
          range: rangeBetween(document, view.back(hover.start), view.back(hover.end)),
        }
      );
    }),
  );
  connection.onSignatureHelp(({ textDocument, position }) =>
    documents.at(textDocument.uri, position, (view, offset) => {
      const help = signatureAt(view.source, offset, view.analysis);
      return help && signatureHelpOf(help);
    }),
  );
  connection.onDefinition(async ({ textDocument, position }) => {
    const tables = await inSchema(documents, textDocument.uri, position);
    if (tables.length > 0) return tables;
    const code = await inOwnCode(documents, textDocument.uri, position);
    if (code !== undefined) return code;
    return spansAt(documents, textDocument.uri, position, ({ isDefinition }) => isDefinition);
  });
  connection.onDocumentHighlight(({ textDocument, position }) =>
    documents.whole(textDocument.uri, ({ analysis, source }, document) => {
      const found = analysis === undefined ? [] : sameAs(analysis, source, document.offsetAt(position));
      return found
        .filter(({ span }) => span.source === source)
        .map(({ span: { start, end }, isDefinition }) => ({
          range: rangeBetween(document, start, end),
          kind: isDefinition ? DocumentHighlightKind.Write : DocumentHighlightKind.Read,
        }));
    }),
  );
  connection.onFoldingRanges(({ textDocument: { uri } }) => {
    const open = documents.get(uri);
    return open === undefined ? [] : foldingRanges(open.file.text).map(foldingRangeOf);
  });
  connection.onReferences(({ textDocument, position, context }) =>
    spansAt(
      documents,
      textDocument.uri,
      position,
      ({ isDefinition }) => context.includeDeclaration || !isDefinition,
    ),
  );
  connection.onDocumentSymbol(({ textDocument }) =>
    documents.whole(textDocument.uri, ({ analysis, source }, document) =>
      analysis === undefined
        ? []
        : documentSymbols(analysis.config, source).map((one) => symbolOf(one, document)),
    ),
  );
  connection.onPrepareRename(({ textDocument, position }) =>
    documents.whole(textDocument.uri, ({ analysis, source }, document) => {
      const found = analysis && renamable(analysis, source, document.offsetAt(position));
      if (found === undefined || typeof found === 'string') return null;
      return { range: rangeBetween(document, found.span.start, found.span.end), placeholder: found.name };
    }),
  );
  connection.onRenameRequest(async ({ textDocument: { uri }, position, newName }) =>
    documents.whole(uri, async ({ analysis, source }, document) => {
      const configuration = documents.get(uri)?.configuration;
      if (analysis === undefined || configuration === undefined) return null;
      const offset = document.offsetAt(position);
      const files = rename(analysis, source, offset, newName);
      if (typeof files === 'string') return new ResponseError<undefined>(requestFailed, files);
      const { path } = analysis.config.source;
      const inConfiguration = files.map((file): [string, TextEdit[]] => [
        file.source === source ? uri : uriOf(file.source.path, path),
        textEdits(file),
      ]);
      const found = occurrenceAt(analysis, source, offset);
      const code = found?.kind === 'function' ? await renameOwnCode(configuration, found.name, newName) : [];
      if (typeof code === 'string') return new ResponseError<undefined>(requestFailed, code);
      if (code.length === 0) return { changes: Object.fromEntries(inConfiguration) };
      if (!client.renamesFiles)
        return new ResponseError<undefined>(
          requestFailed,
          'This editor cannot rename files. Rename the file, its function and the name here by hand.',
        );
      return {
        documentChanges: [
          ...inConfiguration.map(([one, edits]) =>
            TextDocumentEdit.create({ uri: one, version: null }, edits),
          ),
          ...code,
        ],
      };
    }),
  );
  connection.onDocumentFormatting(({ textDocument }) =>
    documents.whole(textDocument.uri, ({ analysis, source }, document) =>
      analysis === undefined
        ? []
        : formatExpressions(analysis.config, source).map((edit) => editIn(document, edit)),
    ),
  );
  connection.onCodeAction(async ({ textDocument: { uri }, range, context: { only } }) => {
    const open = documents.get(uri);
    if (open === undefined) return [];
    const { configuration, document, file } = open;
    const diagnostics = publisher.known(open) ?? (await configuration.diagnostics(file));
    return codeActions({
      ...{ document, configuration: configuration.path },
      ...{ explanations, diagnostics, range, only },
    });
  });
}

/** The definition in the schema of the name at a position in SQL. */
async function inSchema(documents: OpenDocuments, uri: string, position: Position): Promise<Location[]> {
  const path = documents.get(uri)?.configuration.path ?? '';
  const found = await documents.at(uri, position, ({ analysis, source, schema }, offset) =>
    analysis === undefined ? [] : sqlNamesAt(analysis, source, offset, schema),
  );
  return (found ?? []).map(({ table, column }) => {
    const span = column?.span ?? table.span;
    return { uri: uriOf(span.source.path, path), range: rangeIn(span) };
  });
}

/** The file position of the user function named at a position; undefined if its file does not exist yet. */
async function inOwnCode(
  documents: OpenDocuments,
  uri: string,
  position: Position,
): Promise<Location[] | undefined> {
  const name = await documents.at(uri, position, ({ analysis, source }, offset) => {
    const found = analysis && occurrenceAt(analysis, source, offset);
    return found?.kind === 'function' ? found.name : undefined;
  });
  const configuration = documents.get(uri)?.configuration;
  if (name === undefined || configuration === undefined) return undefined;
  const files = configuration.ownFiles();
  const file = files.find(({ path }) => path === fileOfFunction(name));
  if (file === undefined) return [];
  const found = exportOf(name, files);
  const { source, start } = found ?? { source: file, start: 0 };
  const end = found === undefined ? 0 : start + name.length;
  const absolute = join(configuration.serviceFolder, source.path);
  return [{ uri: uriOf(absolute, configuration.path), range: rangeIn({ source, start, end }) }];
}

/** All positions of the name at a position. */
async function spansAt(
  documents: OpenDocuments,
  uri: string,
  position: Position,
  wanted: (occurrence: Occurrence) => boolean,
): Promise<Location[]> {
  const path = documents.get(uri)?.configuration.path ?? '';
  const found = await documents.whole(uri, ({ analysis, source }, document) =>
    analysis === undefined ? [] : sameAs(analysis, source, document.offsetAt(position)).filter(wanted),
  );
  return (found ?? []).map(({ span }) => ({ uri: uriOf(span.source.path, path), range: rangeIn(span) }));
}

/** The protocol's error code for a request that was understood but cannot be fulfilled. */
const requestFailed = -32_803;
