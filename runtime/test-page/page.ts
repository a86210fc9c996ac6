/** Runs in the browser: starts Swagger UI, requests a trace for each call, and shows it below the response. */
import { traceView, type Element, type React } from './trace-view.js';
import type { Trace } from '../trace/steps.js';

interface SwaggerRequest {
  readonly loadSpec?: boolean;
  readonly headers: Record<string, string>;
  credentials?: 'omit';
}

/** The props of Swagger UI's component for a response. */
interface ResponseProps {
  /** An immutable map. */
  readonly response: { getIn(path: readonly string[]): unknown };
}

interface System {
  readonly React: React;
}

declare const SwaggerUIBundle: (options: object) => unknown;

/** The parts of the browser's interface that are used here. */
declare const matchMedia: (query: string) => {
  readonly matches: boolean;
  addEventListener(type: 'change', listener: () => void): void;
};
declare const document: {
  readonly documentElement: { readonly classList: { toggle(name: string, isOn: boolean): void } };
};

/** The state of a trace: it is loading, loaded, or not available. */
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
    return h('div', null, h(Original, props), h('section', { className: 'trace' }, ...content(h, id, state)));
  };
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

/** Swagger UI has dark colors, which a class turns on. */
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
  // The header X-Trace need not be shown.
  showMutatedRequest: false,
  requestInterceptor: (request: SwaggerRequest): SwaggerRequest => {
    if (request.loadSpec === true) return request;
    request.headers['X-Trace'] = '1';
    // Otherwise a 401 would open the browser's own dialog, and the browser would store what is entered there.
    request.credentials = 'omit';
    return request;
  },
  plugins: [{ wrapComponents: { liveResponse: withTrace } }],
});
