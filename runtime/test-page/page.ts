/** Runs in the browser: starts Swagger UI, requests a trace for each call and shows it below the response, and folds other parts. */
import { traceView, type Element, type React } from './trace-view.js';
import type { Trace } from '../trace/steps.js';

interface SwaggerRequest {
  readonly loadSpec?: boolean;
  readonly headers: Record<string, string>;
  credentials?: 'omit';
}

/** The props of Swagger UI's response component. */
interface ResponseProps {
  /** An immutable map. */
  readonly response: { getIn(path: readonly string[]): unknown };
}

/** The props of Swagger UI's response body component. */
interface BodyProps {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly url: string;
}

interface System {
  readonly React: React;
}

declare const SwaggerUIBundle: (options: object) => unknown;

/** The browser APIs that are used here. */
declare const matchMedia: (query: string) => {
  readonly matches: boolean;
  addEventListener(type: 'change', listener: () => void): void;
};
declare const document: {
  readonly documentElement: { readonly classList: { toggle(name: string, isOn: boolean): void } };
};

/** The state of a trace: loading, unavailable, or loaded. */
type State = 'waiting' | 'gone' | Trace;

function withTrace(Original: unknown, { React }: System) {
  return (props: ResponseProps): Element => {
    const header = props.response.getIn(['headers', 'x-trace-id']);
    const id = typeof header === 'string' ? header : undefined;
    const [state, setState] = React.useState<State>('waiting');
    React.useEffect(() => {
      let isCurrent = true;
      setState('waiting');
      if (id !== undefined)
        void fetchTrace(id).then((trace) => {
          if (isCurrent) setState(trace);
        });
      return () => {
        isCurrent = false;
      };
    }, [id]);
    const h = React.createElement;
    return h(
      'div',
      null,
      h(Original, props),
      h('section', { className: 'trace' }, ...content(h, id, state)),
      folding(h, 'documented', 'Documented responses'),
    );
  };
}

/** Folds the request command. The style sheet also folds the URL after it. */
function withFolding(Original: unknown, { React: { createElement: h } }: System) {
  return (props: object): Element =>
    h('details', { className: 'folding request' }, h('summary', null, 'Request'), h(Original, props));
}

/** Folds the headers, which follow the body. */
function withFoldedHeaders(Original: unknown, { React: { createElement: h, Fragment } }: System) {
  return (props: BodyProps): Element =>
    h(
      Fragment,
      null,
      h(Original, { ...props, ...presented(props) }),
      folding(h, 'headers', 'Response headers'),
    );
}

/** A folding section. While it is closed, the style sheet hides the parts after it, which Swagger UI does not expose as components. */
function folding(h: React['createElement'], name: string, title: string): Element {
  return h('details', { className: `folding ${name}` }, h('summary', null, title));
}

/**
 * Adjusts how bodies are shown. Strings are shown even if browsers would download them. NDJSON is not treated as a single JSON
 * document. Binary content other than images and sound is offered as a file.
 */
function presented({ contentType, headers, url }: BodyProps): Partial<BodyProps> {
  const { 'content-disposition': disposition, ...others } = headers;
  if (/^(?:image|audio)\//i.test(contentType)) return {};
  if (/^text\/|json|xml|yaml/i.test(contentType))
    return { headers: others, ...(/ndjson/i.test(contentType) ? { contentType: 'text/plain' } : {}) };
  const name = new URL(url).pathname.split('/').at(-1);
  return { headers: { ...others, 'content-disposition': disposition ?? `attachment; filename="${name}"` } };
}

function content(h: React['createElement'], id: string | undefined, state: State): Element[] {
  const heading = h('h4', null, 'Trace');
  const note = (text: string): Element[] => [heading, h('p', { className: 'trace-note' }, text)];
  if (id === undefined) return note('No operation ran: the response was sent before its first step.');
  if (state === 'waiting') return note('…');
  if (state === 'gone') return note('The service has not kept this trace.');
  return [heading, ...traceView(h, state)];
}

async function fetchTrace(id: string): Promise<State> {
  try {
    const response = await fetch(`docs-ui/trace/${encodeURIComponent(id)}`);
    return response.ok ? ((await response.json()) as Trace) : 'gone';
  } catch {
    return 'gone';
  }
}

/** Dark colors of Swagger UI are enabled by a class. */
const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = (): void => {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
};
dark.addEventListener('change', paint);
paint();

SwaggerUIBundle({
  dom_id: '#test-page',
  url: 'v3/api-docs',
  layout: 'BaseLayout',
  validatorUrl: null,
  tryItOutEnabled: true,
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  // The X-Trace header is an internal detail that need not be shown.
  showMutatedRequest: false,
  requestInterceptor: (request: SwaggerRequest): SwaggerRequest => {
    if (request.loadSpec === true) return request;
    request.headers['X-Trace'] = '1';
    // Otherwise, a 401 would open the browser's login dialog, and the browser would store the credentials.
    request.credentials = 'omit';
    return request;
  },
  plugins: [
    { wrapComponents: { liveResponse: withTrace, curl: withFolding, responseBody: withFoldedHeaders } },
  ],
});
