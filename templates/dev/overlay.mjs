/** Runs in the browser under `apikiln dev`: shows errors on the test page, and reloads it after a change of the API description. */
const style = `
  :host { all: initial }
  section {
    position: fixed; inset: 0; z-index: 2147483647; overflow: auto; box-sizing: border-box; padding: 2rem;
    background: rgb(24 24 27 / 96%); color: #f4f4f5; font: 15px/1.5 system-ui, sans-serif;
  }
  header { display: flex; gap: 1rem; justify-content: space-between; align-items: start; max-width: 70rem; margin: auto }
  h1 { margin: 0; font-size: 1.25rem; color: #fca5a5 }
  p { max-width: 70rem; margin: 0.25rem auto 1.5rem; color: #a1a1aa }
  button {
    border: 1px solid #71717a; border-radius: 6px; padding: 0.3rem 0.8rem; background: none; color: inherit; font: inherit; cursor: pointer;
  }
  pre {
    max-width: 70rem; margin: 0 auto 1rem; padding: 0.9rem 1rem; overflow-x: auto; box-sizing: border-box; border-radius: 8px;
    background: #27272a; font: 13px/1.55 ui-monospace, monospace;
  }
  pre b { display: block; color: #fff; font-weight: 600; white-space: pre-wrap; overflow-wrap: anywhere }
  pre i { display: block; margin-top: 0.5rem; color: #86efac; font-style: normal; white-space: pre-wrap; overflow-wrap: anywhere }
  @media (max-width: 600px) { section { padding: 1rem 0.75rem } pre { font-size: 12px } }
`;

const host = document.createElement('apikiln-overlay');
const root = host.attachShadow({ mode: 'open' });
const sheet = new CSSStyleSheet();
sheet.replaceSync(style);
root.adoptedStyleSheets = [sheet];

function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

function hide() {
  host.remove();
}

/** Each problem: `head` its position and message, `frame` the lines of the file, `hint` what to write. */
function show({ title, note, problems }) {
  const close = element('button', 'Hide');
  close.type = 'button';
  close.addEventListener('click', hide);
  const section = element(
    'section',
    undefined,
    element('header', undefined, element('h1', title), close),
    element('p', note),
    ...problems.map(({ head, frame, hint }) =>
      element(
        'pre',
        undefined,
        element('b', head),
        ...(frame === '' ? [] : [element('span', frame)]),
        ...(hint === '' ? [] : [element('i', hint)]),
      ),
    ),
  );
  section.setAttribute('role', 'alert');
  root.replaceChildren(section);
  document.documentElement.append(host);
}

let description;
const events = new EventSource('docs-ui/apikiln-dev/events');
events.addEventListener('message', ({ data }) => {
  const state = JSON.parse(data);
  // The page shows another description only when it is loaded again.
  if (description !== undefined && state.description !== description) {
    location.reload();
    return;
  }
  description = state.description;
  if (state.problems.length > 0) show(state);
  else hide();
});
