/** Shows `apikiln explain` of the operation that contains the cursor, in a read-only document. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  commands,
  EventEmitter,
  SymbolKind,
  Uri,
  window,
  workspace,
  type Disposable,
  type DocumentSymbol,
  type Position,
  type TextEditor,
} from 'vscode';
import { node, type Installation } from './installed-tool.js';

const scheme = 'apikiln-explain';

/** The texts of the shown documents, by URI. */
export class Explanations {
  readonly #texts = new Map<string, string>();
  readonly #changed = new EventEmitter<Uri>();

  register(): Disposable {
    return workspace.registerTextDocumentContentProvider(scheme, {
      onDidChange: this.#changed.event,
      provideTextDocumentContent: (uri) => this.#texts.get(uri.toString()) ?? '',
    });
  }

  /** Returns false if the cursor is in no operation. */
  async show(
    { document, selection }: TextEditor,
    { configuration, root, program }: Installation,
  ): Promise<boolean> {
    const symbols = await commands.executeCommand<DocumentSymbol[] | undefined>(
      'vscode.executeDocumentSymbolProvider',
      document.uri,
    );
    const operation = operationAt(symbols ?? [], selection.active);
    if (operation === undefined || program === undefined) return false;
    const uri = Uri.from({ scheme, path: `/${operation.replaceAll('/', '∕')}.txt` });
    this.#texts.set(uri.toString(), await explanation(program, root, configuration, operation));
    this.#changed.fire(uri);
    await window.showTextDocument(uri, { preview: true, preserveFocus: true });
    return true;
  }
}

/** Operations are the functions of the outline. */
function operationAt(symbols: readonly DocumentSymbol[], position: Position): string | undefined {
  return symbols.find(({ kind, range }) => kind === SymbolKind.Function && range.contains(position))?.name;
}

/** The output of the command, or its diagnostics if the configuration has errors. */
async function explanation(
  program: string,
  root: string,
  configuration: string,
  operation: string,
): Promise<string> {
  const args = [program, 'explain', '--config', configuration, '--', operation];
  try {
    const { stdout } = await promisify(execFile)(node(), args, { cwd: root });
    return stdout;
  } catch (error) {
    const { stderr } = error as { readonly stderr?: unknown };
    return typeof stderr === 'string' && stderr !== '' ? stderr : String(error);
  }
}
