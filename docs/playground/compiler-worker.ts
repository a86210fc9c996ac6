/** The worker that compiles: diagnostics, generated files, completions and hovers for the configuration in the editor. */
import './node/globals.js';
import { checkWithDatabases, compile, type Compilation, type Input } from '../../compiler/compile.js';
import { OpenSchemas } from '../../compiler/analyze/database/open-schemas.js';
import { SchemaDatabases } from '../../compiler/analyze/database/schema-databases.js';
import type { Analysis } from '../../compiler/analyze/operations/analysis.js';
import type { Assets } from '../../compiler/generate/assets.js';
import { CompilationCache } from '../../compiler/generate/emit/compilation-cache.js';
import { copied } from '../../compiler/notation/written.js';
import type { Diagnostic } from '../../compiler/read/diagnostics/diagnostic.js';
import { position, type Source } from '../../compiler/read/source.js';
import { complete } from '../../compiler/tools/editor/complete.js';
import { hoverAt } from '../../compiler/tools/editor/hover.js';
import { ResultsCache } from '../../compiler/tools/editor/results-cache.js';
import type {
  FromCompiler,
  Project,
  ShownDiagnostic,
  ShownFile,
  ShownOperation,
  ToCompiler,
} from './messages.js';

/** The content of assets.json, written by `docs/playground/build.mjs`. */
interface PackedAssets {
  readonly runtime: Assets['runtime'];
  readonly packages: Assets['packages'];
  readonly templates: Readonly<Record<string, string>>;
}

const cache = new CompilationCache();
const tracedCache = new CompilationCache();
const open = new OpenSchemas(1);
const results = new ResultsCache();
let schema: readonly Source[] = [];
const databases = new SchemaDatabases(
  () => (schema.length === 0 ? undefined : { kind: 'schema', sources: schema }),
  undefined,
  open,
);
let assets: Promise<Assets> | undefined;
/** The configuration that was checked last, for completions and hovers. */
let checked: { readonly source: Source; readonly analysis: Analysis | undefined } | undefined;
/** The project to check next; a newer one replaces it. */
let next: Extract<ToCompiler, { kind: 'check' }> | undefined;
let isBusy = false;

addEventListener('message', ({ data }: MessageEvent<ToCompiler>) => {
  if (data.kind === 'check') {
    next = data;
    if (!isBusy) void checkAll();
  } else if (data.kind === 'trace') void compileTraced(data.id, data.project);
  else if (data.kind === 'complete') {
    post({ kind: 'completed', id: data.id, completions: completionsAt(data.text, data.offset) });
  } else post({ kind: 'hovered', id: data.id, hover: hoverIn(data.text, data.offset) });
});

function post(message: FromCompiler): void {
  postMessage(message);
}

async function checkAll(): Promise<void> {
  isBusy = true;
  for (let asked = next; asked !== undefined; asked = next) {
    next = undefined;
    try {
      await check(asked.id, asked.project);
    } catch (error) {
      post({ kind: 'failed', id: asked.id, message: error instanceof Error ? error.message : String(error) });
    }
  }
  isBusy = false;
}

/** First what needs no database, with the known results of statements, then everything. */
async function check(id: number, project: Project): Promise<void> {
  const start = performance.now();
  const input = inputOf(project);
  const { diagnostics, analysis } = await checkWithDatabases(input, results, cache);
  checked = { source: input.config, analysis };
  const milliseconds = performance.now() - start;
  post({ kind: 'checked', id, isWhole: false, milliseconds, diagnostics: shown(diagnostics, project) });
  // Messages that arrived in the meantime are read first.
  await new Promise((resolve) => setTimeout(resolve, 0));
  if (next !== undefined) return;
  const sql = project['schema.sql'];
  schema = sql.trim() === '' ? [] : [{ path: 'schema.sql', text: sql }];
  assets ??= loadAssets();
  const whole = await compile(input, await assets, cache, results.listenTo(databases));
  post({
    kind: 'checked',
    id,
    isWhole: true,
    milliseconds: performance.now() - start,
    diagnostics: shown(whole.diagnostics, project),
    files: shownFiles(whole),
    operations: shownOperations(whole, analysis),
  });
}

/** The first comment of a handler is the name of its operation. */
function shownOperations({ files }: Compilation, analysis: Analysis | undefined): ShownOperation[] {
  const handlers = files?.filter(({ path }) => path.startsWith('src/operations/')) ?? [];
  return (analysis?.config.operations ?? []).flatMap(({ name: { value, span } }) => {
    const handler = handlers.find(({ text }) => String(text).includes(`\n/** ${value} */\n`));
    return handler === undefined || span.source.path !== 'config.yaml'
      ? []
      : [{ path: handler.path, from: span.start }];
  });
}

/** As `apikiln dev` compiles: with the test page, whose traces the page shows. The statements are known from the check. */
async function compileTraced(id: number, project: Project): Promise<void> {
  try {
    assets ??= loadAssets();
    const input = { ...inputOf(project), withTestPage: true };
    post({ kind: 'traced', id, files: shownFiles(await compile(input, await assets, tracedCache, results)) });
  } catch (error) {
    post({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) });
  }
}

/** Without the archive of the runtime, which is not text. */
function shownFiles({ files }: Compilation): readonly ShownFile[] | undefined {
  return files
    ?.filter(({ path }) => !path.endsWith('.tgz'))
    .map(({ path, text }) => ({ path, text: String(text) }));
}

function inputOf(project: Project): Input {
  const api = project['openapi.yaml'];
  return {
    config: { path: 'config.yaml', text: project['config.yaml'] },
    ...(api.trim() === ''
      ? {}
      : { description: { source: { path: 'openapi.yaml', text: api }, read: () => undefined } }),
  };
}

async function loadAssets(): Promise<Assets> {
  const response = await fetch(new URL('assets.json', import.meta.url));
  const { runtime, packages, templates } = (await response.json()) as PackedAssets;
  return {
    runtime,
    packages,
    template: (name) => {
      const text = templates[name];
      if (text === undefined) throw new Error(`There is no template ${name}`);
      return copied(text);
    },
  };
}

function shown(diagnostics: readonly Diagnostic[], project: Project): ShownDiagnostic[] {
  return diagnostics.flatMap(({ code, severity, message, hint, span, fix }) => {
    const { path } = span.source;
    if (!(path in project)) return [];
    const { start, end } = span;
    const { line, column } = position(span.source, start);
    return [
      {
        ...{ file: path as keyof Project, severity, code, line, column, from: start, to: end },
        message: hint === undefined ? message : `${message}\n${hint}`,
        ...(fix === undefined
          ? {}
          : { fix: fix.edits.map((edit) => ({ from: edit.start, to: edit.end, text: edit.text })) }),
      },
    ];
  });
}

/** The analysis of the configuration that was checked last: it may be some keys old, but its names are the same. */
function completionsAt(
  text: string,
  offset: number,
): Extract<FromCompiler, { kind: 'completed' }>['completions'] {
  const source = checked?.source.text === text ? checked.source : { path: 'config.yaml', text };
  return complete(source, offset, checked?.analysis).map((one) => ({
    label: one.label,
    kind: one.kind,
    detail: one.detail,
    about: one.about === undefined ? undefined : String(one.about),
    insert: one.isSnippet === true ? withoutStops(one.insert ?? one.label) : (one.insert ?? one.label),
    from: offset - one.replaces,
  }));
}

/** A snippet as text. */
function withoutStops(snippet: string): string {
  return snippet.replaceAll(
    /\$\{\d+:([^}]*)\}|\$\d+|\\([$}\\])/g,
    (_, text?: string, escaped?: string) => text ?? escaped ?? '',
  );
}

function hoverIn(text: string, offset: number): Extract<FromCompiler, { kind: 'hovered' }>['hover'] {
  if (checked?.source.text !== text) return undefined;
  const found = hoverAt(checked.source, offset, checked.analysis, { schema: () => schema, now: new Date() });
  return found && { text: String(found.text), from: found.start, to: found.end };
}
