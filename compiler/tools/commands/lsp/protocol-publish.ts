/** Sends the diagnostics of the open configurations to an editor, shortly after each change. */
import type { Connection } from 'vscode-languageserver/node';
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
  /** The files of which something was published for each configuration. */
  readonly #published = new Map<string, ReadonlySet<string>>();
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
    for (const published of this.#published.get(path) ?? [])
      void this.connection.sendDiagnostics({ uri: published, diagnostics: [] });
    this.#published.delete(path);
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
    if (now.some(({ document: { uri, version } }) => versions.get(uri) !== version)) return;
    this.#found.set(path, { versions, diagnostics });
    const byUri = new Map<string, Diagnostic[]>(now.map(({ document }) => [document.uri, []]));
    for (const diagnostic of diagnostics) {
      const own = uriOf(diagnostic.span.source.path, path);
      byUri.set(own, [...(byUri.get(own) ?? []), diagnostic]);
    }
    for (const gone of this.#published.get(path) ?? [])
      if (!byUri.has(gone)) await this.connection.sendDiagnostics({ uri: gone, diagnostics: [] });
    this.#published.set(path, new Set(byUri.keys()));
    const locate = (shown: string): string => uriOf(shown, path);
    for (const [own, list] of byUri) {
      const version = versions.get(own);
      await this.connection.sendDiagnostics({
        uri: own,
        ...(version === undefined ? {} : { version }),
        diagnostics: list.slice(0, maxShown).map((one) => toProtocol(one, this.explanations, locate)),
      });
    }
  }
}
