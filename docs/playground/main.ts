/** The page: connects the editors, the compiler, the service and the URL. */
import { CompilerClient } from './compiler-client.js';
import { GeneratedView, SourceEditor } from './editors.js';
import type { FromCompiler, Project, ShownDiagnostic, ShownFile, ShownOperation } from './messages.js';
import { ServiceClient } from './service-client.js';
import { traceElements } from './trace.js';
import { decodeState, encodeState, type Request } from './state.js';

interface Example {
  readonly name: string;
  readonly title: string;
  readonly request: Request;
  readonly project: Project;
}

function element<Kind extends HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

const inputs = {
  method: element<HTMLSelectElement>('method'),
  url: element<HTMLInputElement>('url'),
  headers: element<HTMLTextAreaElement>('headers'),
  body: element<HTMLTextAreaElement>('body'),
};
const status = element('status');
const chosenExample = element<HTMLSelectElement>('example');
const chosenFile = element<HTMLSelectElement>('file');

const compiler = new CompilerClient(showChecked, (message) => {
  status.textContent = `The compiler failed: ${message}`;
});
const editor = new SourceEditor(element('source'), compiler, edited, followCursor);
const generated = new GeneratedView(element('generated'));
const service = new ServiceClient();

let examples: readonly Example[] = [];
/** The example that the state in the URL is compared with. */
let base: Example | undefined;
/** The files of the last configuration without errors. */
let files: readonly ShownFile[] | undefined;
/** Its operations. */
let operations: readonly ShownOperation[] = [];
/** The module of the operation at the cursor. */
let followed = '';
/** The same service with traces, which is compiled for the first request. */
let traced: Promise<readonly ShownFile[] | undefined> | undefined;
let lastFragment = '';
/** Resolves when the compiler has generated the service of the newest sources, or found errors. */
let whole = Promise.withResolvers<boolean>();

function edited(): void {
  whole = Promise.withResolvers<boolean>();
  traced = undefined;
  compiler.check(editor.project());
  void keepState();
}

function showChecked(checked: Extract<FromCompiler, { kind: 'checked' }>): void {
  const { diagnostics, isWhole, milliseconds } = checked;
  editor.setDiagnostics(diagnostics);
  element('diagnostics').replaceChildren(...diagnostics.map(itemOf));
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const parts = [counted(errors, 'error'), counted(diagnostics.length - errors, 'warning')];
  const count = parts.filter((part) => part !== '').join(', ') || 'No diagnostics';
  // The first check starts PostgreSQL, which is not the time of a check.
  const time = files === undefined ? '' : ` · ${milliseconds.toFixed(0)} ms`;
  status.textContent = `${count}${isWhole ? time : ' · asking PostgreSQL …'}`;
  status.dataset['state'] = isWhole ? 'whole' : 'quick';
  element('stale').hidden = errors === 0 || files === undefined;
  if (!isWhole) return;
  if (checked.files !== undefined) showFiles(checked.files, checked.operations ?? []);
  whole.resolve(checked.files !== undefined);
  keepOffline();
}

let isKept = false;

/** Keeps the page for use without a network, when the page itself has everything that it needs. */
function keepOffline(): void {
  if (isKept || !('serviceWorker' in navigator)) return;
  isKept = true;
  // A browser that stores nothing shows the page as before.
  navigator.serviceWorker.register('offline.js').catch(() => undefined);
}

function counted(count: number, noun: string): string {
  return count === 0 ? '' : `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function itemOf(diagnostic: ShownDiagnostic): HTMLLIElement {
  const { file, line, column, severity, message, code, fix } = diagnostic;
  const item = document.createElement('li');
  item.className = severity;
  const kind = document.createElement('strong');
  kind.className = 'severity';
  kind.textContent = severity;
  const place = document.createElement('button');
  place.type = 'button';
  place.className = 'place';
  place.append(kind, ` ${file}:${line}:${column} ${message} [${code}]`);
  place.addEventListener('click', () => {
    showSource(file);
    editor.select(diagnostic);
  });
  item.append(place);
  if (fix !== undefined) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Fix';
    button.addEventListener('click', () => {
      showSource(file);
      editor.apply(fix);
    });
    item.append(button);
  }
  return item;
}

/** The handlers first, in the order of their operations. */
function showFiles(all: readonly ShownFile[], ofOperations: readonly ShownOperation[]): void {
  files = all;
  operations = ofOperations;
  const before = chosenFile.value;
  const handlers = operations.map(({ path }) => path);
  const others = all.map(({ path }) => path).filter((path) => !handlers.includes(path));
  const paths = [
    ...handlers,
    ...others.sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1)),
  ];
  chosenFile.replaceChildren(...paths.map((path) => new Option(path)));
  chosenFile.value = paths.includes(before) ? before : (paths[0] ?? '');
  showFile();
}

function rank(path: string): number {
  return path.startsWith('src/') ? 0 : 1;
}

/** Shows the module of the operation at the cursor, once the cursor enters it. */
function followCursor(offset: number): void {
  const path = operations.findLast(({ from }) => from <= offset)?.path ?? '';
  if (path === followed) return;
  followed = path;
  if (path === '') return;
  chosenFile.value = path;
  showFile();
}

function showFile(): void {
  const { value } = chosenFile;
  generated.show(value, files?.find(({ path }) => path === value)?.text ?? '');
}

function showSource(file: keyof Project): void {
  for (const tab of element('source-tabs').children) {
    const isShown = tab.textContent === file;
    tab.setAttribute('aria-selected', String(isShown));
    // One stop of the Tab key; arrows go from file to file.
    tab.setAttribute('tabindex', isShown ? '0' : '-1');
  }
  editor.show(file);
}

function currentRequest(): Request {
  const { method, url, headers, body } = inputs;
  return { method: method.value, url: url.value, headers: headers.value, body: body.value };
}

function showRequest(request: Request): void {
  for (const name of ['method', 'url', 'headers', 'body'] as const) inputs[name].value = request[name];
}

async function send(): Promise<void> {
  const line = element('response-status');
  line.textContent = 'Sending …';
  line.dataset['state'] = 'sending';
  element('response-header-fold').hidden = true;
  element('response-body').textContent = '';
  element('trace').replaceChildren();
  try {
    if (!(await whole.promise) || files === undefined)
      throw new Error('The configuration has errors. Fix them, then send the request again.');
    const { method, url, headers, body } = currentRequest();
    const lines = headers.split('\n').filter((one) => one.includes(':'));
    const sent = lines.map((one) => [
      one.slice(0, one.indexOf(':')).trim(),
      one.slice(one.indexOf(':') + 1).trim(),
    ]);
    const hasBody = body !== '' && method !== 'GET' && method !== 'HEAD';
    traced ??= compiler.traced(editor.project());
    const started = await traced;
    if (started === undefined) throw new Error('The service could not be compiled');
    const { response, milliseconds, trace } = await service.send(started, editor.project(), {
      method,
      url: url.startsWith('/') ? url : `/${url}`,
      headers: { ...(hasBody ? { 'content-type': 'application/json' } : {}), ...Object.fromEntries(sent) },
      ...(hasBody ? { body } : {}),
    });
    line.textContent = `${response.status} · ${milliseconds.toFixed(1)} ms`;
    element('response-headers').textContent = response.headers
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n');
    element('response-header-count').textContent = counted(response.headers.length, 'header');
    element('response-header-fold').hidden = false;
    element('response-body').textContent = indented(response.body);
    if (trace !== undefined) element('trace').replaceChildren(...traceElements(trace));
    line.dataset['state'] = 'done';
  } catch (error) {
    line.textContent = error instanceof Error ? error.message : String(error);
    line.dataset['state'] = 'failed';
  }
}

/** JSON with line breaks and all of its digits; other text unchanged. */
function indented(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  const pieces = text.matchAll(/"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{}[\],:]|[^\s{}[\],:"]+/g);
  return [...pieces]
    .map(([piece]) => {
      if (piece === '{' || piece === '[') return `${piece}\n${'  '.repeat(++depth)}`;
      if (piece === '}' || piece === ']') return `\n${'  '.repeat(--depth)}${piece}`;
      if (piece === ',') return `,\n${'  '.repeat(depth)}`;
      return piece === ':' ? ': ' : piece;
    })
    .join('');
}

function exampleNamed(name: string): Example | undefined {
  return examples.find((one) => one.name === name);
}

function openProject(project: Project, request: Request): void {
  editor.open(project);
  showSource('config.yaml');
  showRequest(request);
  files = undefined;
  edited();
}

/** Writes the state to the URL, without a new entry of the history for each key. */
async function keepState(): Promise<void> {
  if (base === undefined) return;
  const { name, project: written } = base;
  const project = editor.project();
  const changed = Object.entries(project).filter(([file, text]) => text !== written[file as keyof Project]);
  const fragment = await encodeState({
    example: name,
    changed: Object.fromEntries(changed),
    request: currentRequest(),
  });
  lastFragment = fragment;
  history.replaceState(null, '', `#${fragment}`);
}

async function openState(): Promise<void> {
  const fragment = location.hash.slice(1);
  if (fragment === lastFragment && fragment !== '') return;
  const state = await decodeState(fragment);
  const example = exampleNamed(state?.example ?? fragment) ?? examples[0];
  if (example === undefined) return;
  base = example;
  // A configuration of a link, which is none of the examples.
  chosenExample.value = state?.changed['config.yaml'] === undefined ? example.name : '';
  openProject({ ...example.project, ...state?.changed }, { ...example.request, ...state?.request });
}

async function begin(): Promise<void> {
  const response = await fetch(new URL('examples.json', import.meta.url));
  examples = (await response.json()) as readonly Example[];
  chosenExample.replaceChildren(
    ...examples.map(({ name, title }) => new Option(title, name)),
    new Option('From a link', ''),
  );
  const names = Object.keys(examples[0]?.project ?? {}) as (keyof Project)[];
  const tabs: HTMLButtonElement[] = names.map((file) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.role = 'tab';
    tab.textContent = file;
    tab.setAttribute('aria-controls', 'source');
    tab.addEventListener('click', () => {
      showSource(file);
    });
    tab.addEventListener('keydown', ({ key }) => {
      const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
      const next = tabs.at((tabs.indexOf(tab) + step) % tabs.length);
      if (step === 0 || next === undefined) return;
      next.click();
      next.focus();
    });
    return tab;
  });
  element('source-tabs').replaceChildren(...tabs);
  await openState();
}

chosenExample.addEventListener('change', () => {
  const example = exampleNamed(chosenExample.value);
  if (example === undefined) return;
  base = example;
  openProject(example.project, example.request);
});
chosenFile.addEventListener('change', showFile);
element('request').addEventListener('submit', (event) => {
  event.preventDefault();
  void send();
});
document.addEventListener(
  'keydown',
  (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    void send();
  },
  { capture: true },
);
element('request').addEventListener('input', () => void keepState());
element('reset').addEventListener('click', () => {
  service.reset();
  element('response-status').textContent = 'The next request begins with a new database.';
});
element('share').addEventListener('click', () => {
  void keepState()
    .then(() => navigator.clipboard.writeText(location.href))
    .then(() => {
      element('shared').textContent = 'Copied';
    });
});
addEventListener('hashchange', () => void openState());
void begin();
