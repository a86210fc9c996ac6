/** Sends diagnostics of the open configurations to the editor, shortly after each change. */
import type { Connection, Diagnostic as ProtocolDiagnostic } from 'vscode-languageserver/node';
import type { Diagnostic } from '../../../read/diagnostics/diagnostic.js';
import type { Explanations } from '../../../read/diagnostics/explanation.js';
import { toProtocol } from './protocol-diagnostic.js';
import type { OpenDocuments, OpenFile } from './protocol-documents.js';
import { uriOf } from './protocol-position.js';

/** Milliseconds without typing before diagnostics are computed; short if the last computation was quick. */
const debounce = { quick: 20, slow: 120 };

/** Maximum milliseconds of a quick computation. */
const quick = 150;

/** Maximum number of diagnostics sent per file. */
const maxShown = 1000;

export class DiagnosticsPublisher {
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Configurations whose diagnostics are computed quickly. */
  readonly #isQuick = new Set<string>();
  /** Published diagnostics by configuration and by file URI: two configurations may include the same file. */
  readonly #published = new Map<string, ReadonlyMap<string, readonly ProtocolDiagnostic[]>>();
  /** The latest diagnostics of each configuration, with the file versions that they refer to. */
  readonly #found = new Map<
    string,
    { readonly versions: ReadonlyMap<string, number>; readonly diagnostics: readonly Diagnostic[] }
  >();

  constructor(
    private readonly connection: Connection,
    private readonly explanations: Explanations,
    private readonly documents: OpenDocuments,
  ) {}

  /** The diagnostics for this version of a configuration's file; undefined if the latest diagnostics are for a different version. */
  known({ configuration, document }: OpenFile): readonly Diagnostic[] | undefined {
    const found = this.#found.get(configuration.path);
    return found?.versions.get(document.uri) === document.version ? found.diagnostics : undefined;
  }

  /** `path` is the path of a configuration, here and below. */
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
    // The user typed on during the analysis; the latest text is scheduled separately.
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

  /** Sends the diagnostics of all configurations for one file, without duplicates. */
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
