/** Sends the diagnostics of the open configurations to an editor, shortly after each change. */
import type { Connection } from 'vscode-languageserver/node';
import type { Diagnostic } from '../../../read/diagnostics/diagnostic.js';
import type { Explanations } from '../../../read/diagnostics/explanation.js';
import { toProtocol } from './protocol-diagnostic.js';
import type { OpenDocuments } from './protocol-documents.js';
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
  /** The last diagnostics of each configuration, and the version that they are of. */
  readonly #found = new Map<
    string,
    { readonly version: number; readonly diagnostics: readonly Diagnostic[] }
  >();

  constructor(
    private readonly connection: Connection,
    private readonly explanations: Explanations,
    private readonly documents: OpenDocuments,
  ) {}

  /** The diagnostics of that version of a configuration; undefined if others were found last. */
  known(uri: string, version: number): readonly Diagnostic[] | undefined {
    const found = this.#found.get(uri);
    return found?.version === version ? found.diagnostics : undefined;
  }

  close(uri: string): void {
    clearTimeout(this.#timers.get(uri));
    this.#timers.delete(uri);
    this.#isQuick.delete(uri);
    this.#found.delete(uri);
    for (const published of this.#published.get(uri) ?? [])
      void this.connection.sendDiagnostics({ uri: published, diagnostics: [] });
    this.#published.delete(uri);
  }

  schedule(uri: string): void {
    clearTimeout(this.#timers.get(uri));
    this.#timers.set(
      uri,
      setTimeout(
        () => {
          this.#examine(uri).catch((error: unknown) => {
            this.connection.console.warn(error instanceof Error ? error.message : 'The examination failed.');
          });
        },
        this.#isQuick.has(uri) ? debounce.quick : debounce.slow,
      ),
    );
  }

  async #examine(uri: string): Promise<void> {
    const open = this.documents.get(uri);
    if (open === undefined) return;
    const { configuration, document } = open;
    const { version } = document;
    const begin = performance.now();
    const diagnostics = await configuration.diagnostics(document.getText());
    if (performance.now() - begin < quick) this.#isQuick.add(uri);
    else this.#isQuick.delete(uri);
    // While it was looked at, somebody has typed on: the newest text has its own turn.
    if (this.documents.get(uri)?.document.version !== version) return;
    this.#found.set(uri, { version, diagnostics });
    const byUri = new Map<string, Diagnostic[]>([[uri, []]]);
    for (const diagnostic of diagnostics) {
      const own = uriOf(diagnostic.span.source.path, configuration.path);
      byUri.set(own, [...(byUri.get(own) ?? []), diagnostic]);
    }
    for (const gone of this.#published.get(uri) ?? [])
      if (!byUri.has(gone)) await this.connection.sendDiagnostics({ uri: gone, diagnostics: [] });
    this.#published.set(uri, new Set(byUri.keys()));
    const locate = (path: string): string => uriOf(path, configuration.path);
    for (const [own, list] of byUri) {
      await this.connection.sendDiagnostics({
        uri: own,
        ...(own === uri ? { version } : {}),
        diagnostics: list.slice(0, maxShown).map((one) => toProtocol(one, this.explanations, locate)),
      });
    }
  }
}
