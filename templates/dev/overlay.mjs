/** Runs in the browser under `apikiln dev`: shows errors on the test page, and reloads it after a change of the API description. */
import { refresh } from './apikiln-dev-login.js';

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
    max-width: 70rem; margin: 0 auto 1rem; padding: 0.9rem 1rem; box-sizing: border-box; border-radius: 8px;
    background: #27272a; font: 13px/1.55 ui-monospace, monospace;
  }
  pre b { display: block; color: #fff; font-weight: 600; white-space: pre-wrap; overflow-wrap: anywhere }
  pre span { display: block; overflow-x: auto }
  pre i { display: block; margin-top: 0.5rem; color: #86efac; font-style: normal; white-space: pre-wrap; overflow-wrap: anywhere }
  @media (max-width: 600px) { section { padding: 1rem 0.75rem } pre { font-size: 12px } }
`;

const timersStyle = `
  :host { display: block; box-sizing: border-box; max-width: 1460px; margin: 0 auto; padding: 0 20px 40px; color: #3b4151; font: 14px/1.5 system-ui, sans-serif }
  h2 { margin: 0 0 0.5rem; font-size: 1.25rem }
  div { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: center; margin: 0 0 0.5rem; padding: 0.6rem 0.8rem; border: 1px solid #d8dde7; border-radius: 4px; background: #fff }
  b { overflow-wrap: anywhere }
  span { color: #5b6472; overflow-wrap: anywhere }
  output { color: #14633a }
  output[data-failed] { color: #9b1c1c }
  button { margin-left: auto; border: 1px solid #4990e2; border-radius: 4px; padding: 0.3rem 0.8rem; background: #fff; color: #1f5fa8; font: inherit; font-weight: 600; cursor: pointer }
  button:disabled { opacity: 0.5; cursor: default }
  @media (max-width: 640px) { :host { padding: 0 10px 32px } }
`;

const [host, root] = shadowed('apikiln-overlay', style);
const [timersHost, timersRoot] = shadowed('apikiln-timers', timersStyle);

function shadowed(name, text) {
  const made = document.createElement(name);
  const shadow = made.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  shadow.adoptedStyleSheets = [sheet];
  return [made, shadow];
}

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
  for (const frame of section.querySelectorAll('pre span')) scrollToCaret(frame);
}

/** A line of the file may be longer than the screen is wide. */
function scrollToCaret(frame) {
  const text = frame.firstChild;
  const at = text.data.search(/\^+\s*$/m);
  if (at < 0) return;
  const range = document.createRange();
  range.setStart(text, at);
  range.setEnd(text, at + 1);
  const caret = range.getBoundingClientRect();
  const { left, width } = frame.getBoundingClientRect();
  if (caret.right > left + width) frame.scrollLeft = caret.left - left - width / 3;
}

/** Each timed operation, with a button that runs it now. */
function showTimers(timers) {
  timersRoot.replaceChildren(element('h2', 'Timers'), ...timers.map(timerRow));
  if (timers.length > 0) document.body.append(timersHost);
  else timersHost.remove();
}

function timerRow({ name, triggers }) {
  const result = element('output');
  const button = element('button', 'Run now');
  button.type = 'button';
  button.addEventListener('click', async () => {
    button.disabled = true;
    result.textContent = 'running …';
    const succeeded = await runTimer(name, (text) => (result.textContent = text));
    result.toggleAttribute('data-failed', !succeeded);
    button.disabled = false;
  });
  return element('div', undefined, element('b', name), element('span', triggers.join(', ')), result, button);
}

/** Whether it has succeeded; `tell` gets the outcome. */
async function runTimer(name, tell) {
  try {
    const response = await fetch(`docs-ui/apikiln-dev/run?operation=${encodeURIComponent(name)}`, {
      method: 'POST',
      headers: { 'X-Apikiln-Dev': 'run' },
    });
    const { succeeded = false, milliseconds, message } = await response.json();
    tell(succeeded ? `ran in ${milliseconds} ms` : (message ?? 'failed: see the terminal'));
    return succeeded;
  } catch {
    tell('no response: see the terminal');
    return false;
  }
}

let description;
let shownTimers = '[]';
const events = new EventSource('docs-ui/apikiln-dev/events');
events.addEventListener('message', ({ data }) => {
  const state = JSON.parse(data);
  // The page shows another description only when it is loaded again.
  if (description !== undefined && state.description !== description) {
    location.reload();
    return;
  }
  description = state.description;
  void refresh();
  const timers = JSON.stringify(state.timers);
  if (timers !== shownTimers) showTimers(state.timers);
  shownTimers = timers;
  if (state.problems.length > 0) show(state);
  else hide();
});
