/** The trace of a call as elements of the page, in the form that the test page shows. */
import { traceView } from '../../runtime/test-page/trace-view.js';
import type { Trace } from '../../runtime/trace/steps.js';

type Create = Parameters<typeof traceView>[0];

export function traceElements(trace: Trace): readonly HTMLElement[] {
  return traceView(create as unknown as Create, trace) as unknown as readonly HTMLElement[];
}

/** In place of React's function. */
function create(
  type: string,
  props: Readonly<Record<string, unknown>> | null,
  ...children: readonly (HTMLElement | string)[]
): HTMLElement {
  const element = document.createElement(type);
  const { key: _key, ...properties } = props ?? {};
  Object.assign(element, properties);
  element.append(...children);
  return element;
}
