/** Sends the diagnostics of the open configurations to an editor, shortly after each change. */
import type { Connection, Diagnostic as ProtocolDiagnostic } from 'vscode-languageserver/node';
import type { Diagnostic } from '../../../read/diagnostics/diagnostic.js';
import type { Explanations } from '../../../read/diagnostics/explanation.js';
import { toProtocol } from './protocol-diagnostic.js';
import type { OpenDocuments, OpenFile } from './protocol-documents.js';
import { uriOf } from './protocol-position.js';

/** Milliseconds without a key, after which diagnostics are looked for: short where the last ones were quickly found. */
const debounce = { quick: 20, slow: 120 };

/** Milliseconds of an examination that is quick. */
const quick = 150;

/** The number of diagnostics of one file that are sent. */
const maxShown = 1000;

export class DiagnosticsPublisher {
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** The configurations of which diagnostics are quickly found. */
  readonly #isQuick = new Set<string>();
  /** The published diagnostics of each configuration, by the URIs of its files: two configurations may include the same one. */
  readonly #published = new Map<string, ReadonlyMap<string, readonly ProtocolDiagnostic[]>>();
  /** The last diagnostics of each configuration, and the versions of its files that they are of. */
  readonly #found = new Map<
    string,
    { readonly versions: ReadonlyMap<string, number>; readonly diagnostics: readonly Diagnostic[] }
  >();

  constructor(
    private readonly connection: Connection,
    private readonly explanations: Explanations,
    private readonly documents: OpenDocuments,
  ) {}

  /** The diagnostics with that version of a file of a configuration; undefined if others were found last. */
  known({ configuration, document }: OpenFile): readonly Diagnostic[] | undefined {
    const found = this.#found.get(configuration.path);
    return found?.versions.get(document.uri) === document.version ? found.diagnostics : undefined;
  }

  /** `path` is that of a configuration, as in all that follows. */
  close(path: string): void {
    clearTimeout(this.#timers.get(path));
    this.#timers.delete(path);
    this.#isQuick.delete(path);
    this.#found.delete(path);
    const published = this.#published.get(path)?.keys() ?? [];
    this.#published.delete(path);
    for (const uri of published) void this.#send(uri, undefined);
  }

  schedule(path: string): void {
    clearTimeout(this.#timers.get(path));
    this.#timers.set(
      path,
      setTimeout(
        () => {
          this.#examine(path).catch((error: unknown) => {
            this.connection.console.warn(error instanceof Error ? error.message : 'The examination failed.');
          });
        },
        this.#isQuick.has(path) ? debounce.quick : debounce.slow,
      ),
    );
  }

  async #examine(path: string): Promise<void> {
    const files = this.documents.filesOf(path);
    const [first] = files;
    if (first === undefined) return;
    const versions = new Map(files.map(({ document: { uri, version } }) => [uri, version]));
    const begin = performance.now();
    const diagnostics = await first.configuration.diagnostics(first.file);
    if (performance.now() - begin < quick) this.#isQuick.add(path);
    else this.#isQuick.delete(path);
    // While it was looked at, somebody has typed on: the newest text has its own turn.
    const now = this.documents.filesOf(path);
    if (now.some(({ document: { uri, version } }) => (versions.get(uri) ?? version) !== version)) return;
    this.#found.set(path, { versions, diagnostics });
    const locate = (shown: string): string => uriOf(shown, path);
    const byUri = new Map<string, ProtocolDiagnostic[]>(now.map(({ document }) => [document.uri, []]));
    for (const diagnostic of diagnostics) {
      const own = locate(diagnostic.span.source.path);
      const list = byUri.get(own) ?? [];
      byUri.set(own, list);
      if (list.length < maxShown) list.push(toProtocol(diagnostic, this.explanations, locate));
    }
    const gone = [...(this.#published.get(path)?.keys() ?? [])].filter((uri) => !byUri.has(uri));
    this.#published.set(path, byUri);
    for (const uri of [...gone, ...byUri.keys()]) await this.#send(uri, versions.get(uri));
    await this.documents.warm();
  }

  /** The findings of all configurations in the file, without duplicates. */
  async #send(uri: string, version: number | undefined): Promise<void> {
    const found = new Map(
      [...this.#published.values()].flatMap((byUri) =>
        (byUri.get(uri) ?? []).map((one): [string, ProtocolDiagnostic] => [
          JSON.stringify([one.code, one.range, one.message]),
          one,
        ]),
      ),
    );
    const diagnostics = [...found.values()];
    await this.connection.sendDiagnostics({
      uri,
      ...(version === undefined ? {} : { version }),
      diagnostics,
    });
  }
}
