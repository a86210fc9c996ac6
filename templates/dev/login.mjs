/** Runs in the browser under `apikiln dev`: logs in on the test page, adds credentials to its requests, and copies them as curl. */
const style = `
  :host { display: block; color: #3b4151; font: 14px/1.5 system-ui, sans-serif }
  section { display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: center; box-sizing: border-box; max-width: 1460px; margin: 0 auto; padding: 12px 20px 0 }
  form { display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: end; min-width: 0; margin: 0 }
  form[hidden], p[hidden], fieldset[hidden] { display: none }
  fieldset { display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; min-width: 0; margin: 0; padding: 0; border: 0 }
  legend { position: absolute; width: 1px; height: 1px; padding: 0; overflow: hidden; clip-path: inset(50%) }
  label { display: block; color: #5b6472 }
  select, input, textarea, button { box-sizing: border-box; height: 2.2rem; max-width: 100%; border: 1px solid #8b95a5; border-radius: 4px; padding: 0.3rem 0.6rem; background: #fff; color: #3b4151; font: inherit }
  textarea { display: block; min-width: 14rem; font: 13px/1.5 ui-monospace, monospace }
  button { border-color: #4990e2; color: #1f5fa8; font-weight: 600; cursor: pointer }
  div { min-width: 0 }
  p { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: center; margin: 0 }
  b { overflow-wrap: anywhere }
  output { overflow-wrap: anywhere }
  output[data-failed] { color: #9b1c1c }
  @media (max-width: 640px) { section { padding: 10px 10px 0 } form, fieldset { flex-direction: column; align-items: stretch; width: 100% } select, input, textarea { width: 100%; font-size: 16px } }
  @media (prefers-color-scheme: dark) {
    :host, b { color: #e4e7eb }
    label { color: #aab2bd }
    select, input, textarea, button { border-color: #6b747d; background: #24292d; color: #e4e7eb }
    button { border-color: #4990e2; color: #8fc1ff }
    output[data-failed] { color: #ff9d94 }
  }
`;

/** The storage key of the caller after a reload: for this tab only, and never with credentials. */
const storageKey = 'apikiln-login';

/** The caller: `authentication`, its `type`, a `label`, and `caller` (an id), or `claims` and `scopes`. */
let current = stored();

const host = document.createElement('apikiln-login');
const root = host.attachShadow({ mode: 'open' });
const sheet = new CSSStyleSheet();
sheet.replaceSync(style);
root.adoptedStyleSheets = [sheet];

const select = element('select');
const sub = input('text');
const scopes = input('text');
const claims = element('textarea');
claims.spellcheck = false;
claims.placeholder = '{"tenant": "acme"}';
const fields = element(
  'fieldset',
  element('legend', 'Claims of the token'),
  labelled('Subject (sub)', sub),
  labelled('Scopes, separated by spaces', scopes),
  labelled('Other claims (JSON)', claims),
);
const form = element('form', labelled('Log in as', select), fields, button('submit', 'Log in'));
const name = element('b');
const logOutButton = button('button', 'Log out');
const shown = element('p', element('span', 'Logged in as ', name), logOutButton);
const status = element('output');
status.setAttribute('role', 'status');
const section = element('section', form, shown, status);
section.setAttribute('aria-label', 'Caller of the requests');
root.append(section);

function element(tag, ...children) {
  const made = document.createElement(tag);
  made.append(...children);
  return made;
}

function labelled(text, control) {
  const label = element('label', text);
  control.id = text;
  label.htmlFor = text;
  return element('div', label, control);
}

function input(type) {
  const made = element('input');
  Object.assign(made, { type, autocomplete: 'off', spellcheck: false, autocapitalize: 'none' });
  return made;
}

function button(type, text) {
  const made = element('button', text);
  made.type = type;
  return made;
}

/** Undefined without a caller, or if the storage is not readable. */
function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined logs out. */
function choose(caller) {
  current = caller;
  try {
    if (caller === undefined) sessionStorage.removeItem(storageKey);
    else sessionStorage.setItem(storageKey, JSON.stringify(caller));
  } catch {
    // The caller is forgotten with the page.
  }
  paint();
}

function paint() {
  form.hidden = current !== undefined;
  shown.hidden = current === undefined;
  name.textContent = current === undefined ? '' : nameOf(current);
}

function nameOf({ authentication, label }) {
  return `${label} (${authentication})`;
}

function report(message, isFailure = false) {
  status.textContent = message;
  status.toggleAttribute('data-failed', isFailure);
}

/** Rejects with an Error for the user. */
async function ask(action, question) {
  let response;
  try {
    response = await fetch(`docs-ui/apikiln-dev/login/${action}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Apikiln-Dev': 'login' },
      body: JSON.stringify(question),
      credentials: 'omit',
    });
  } catch {
    throw new Error('apikiln dev does not respond.');
  }
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
}

/** The options of the list. Each has the question for its credentials; without `caller`, the form has the claims. */
let choices = [];
let shownCallers = '';

/** Asks for the callers again: the configuration or the tests may have changed. */
export async function refresh() {
  let authentications;
  try {
    authentications = await ask('callers', {});
  } catch {
    return;
  }
  const text = JSON.stringify(authentications);
  if (text === shownCallers) return;
  shownCallers = text;
  showChoices(authentications);
  if (current !== undefined && !isOffered(current, authentications)) {
    report(`${nameOf(current)} is no longer available.`, true);
    choose(undefined);
  }
  if (authentications.length > 0) document.body.prepend(host);
  else host.remove();
}

function isOffered({ authentication, type, caller }, authentications) {
  const found = authentications.find((one) => one.name === authentication);
  if (found?.type !== type || found.problem !== undefined) return false;
  return caller === undefined ? type === 'jwt' : found.callers.some(({ id }) => id === caller);
}

function showChoices(authentications) {
  const before = choices[select.selectedIndex];
  choices = [];
  const groups = authentications.map(({ name: authentication, type, problem, callers }) => {
    const group = element('optgroup');
    group.label = authentication;
    const add = (label, choice) => {
      const option = element('option', label);
      option.disabled = choice === undefined;
      group.append(option);
      choices.push(choice);
    };
    for (const { id, label } of callers) add(label, { authentication, type, caller: id, label });
    if (problem !== undefined) add(problem);
    else if (type === 'jwt')
      add(callers.length > 0 ? 'other claims …' : 'claims …', { authentication, type });
    return group;
  });
  select.replaceChildren(...groups);
  const same = choices.findIndex((one) => JSON.stringify(one) === JSON.stringify(before));
  const first = choices.findIndex((one) => one !== undefined);
  select.selectedIndex = before !== undefined && same >= 0 ? same : first;
  showFields();
}

function showFields() {
  const choice = choices[select.selectedIndex];
  fields.hidden = choice === undefined || choice.caller !== undefined;
}

/** The caller of the form. Throws an Error for the user. */
function written({ authentication, type }) {
  const list = scopes.value.split(/\s+/).filter((scope) => scope !== '');
  const others = claims.value.trim() === '' ? {} : objectIn(claims.value);
  const subject = sub.value.trim();
  const all = { ...(subject !== '' && { sub: subject }), ...others };
  const label = [all.sub ?? 'test', ...list].join(' · ');
  return { authentication, type, claims: all, scopes: list, label };
}

function objectIn(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new Error('Other claims are a JSON object, such as {"tenant": "acme"}.');
}

select.addEventListener('change', showFields);
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const choice = choices[select.selectedIndex];
  if (choice === undefined) return;
  try {
    const caller = choice.caller === undefined ? written(choice) : choice;
    await ask('credentials', caller);
    report('');
    choose(caller);
    logOutButton.focus();
  } catch (error) {
    report(error.message, true);
  }
});
logOutButton.addEventListener('click', () => {
  choose(undefined);
  report('');
  select.focus();
});

/** The last requests without credentials, by what Swagger UI knows of them. */
const sent = new Map();
const maxSent = 100;

function keyOf(method, url) {
  return `${method.toUpperCase()} ${url}`;
}

/** A request with the credentials of the caller. Rejects with an Error for the user. */
async function withCredentials(request) {
  if (request.loadSpec === true) return request;
  const key = keyOf(request.method, request.url);
  sent.delete(key);
  sent.set(key, { ...request, headers: { ...request.headers } });
  if (sent.size > maxSent) sent.delete(sent.keys().next().value);
  const isOurs = new URL(request.url, location.href).origin === location.origin;
  if (current === undefined || !isOurs) return request;
  const { headers, query } = await ask('credentials', {
    ...current,
    content: await signedContent(current, request.body),
  });
  for (const [header, value] of Object.entries(headers)) setHeader(request.headers, header, value);
  for (const [parameter, value] of query)
    request.url += `${request.url.includes('?') ? '&' : '?'}${encodeURIComponent(parameter)}=${encodeURIComponent(value)}`;
  return request;
}

/** Replaces a header of the same name, such as one that was typed. */
function setHeader(headers, header, value) {
  // Browsers send this one themselves.
  if (header === 'sec-fetch-site') return;
  for (const existing of Object.keys(headers))
    if (existing.toLowerCase() === header) delete headers[existing];
  // Scripts cannot set cookies of a request: dev translates the name.
  headers[header === 'cookie' ? 'X-Apikiln-Cookie' : header] = value;
}

/** The bytes of the body in Base64, for a signature. */
async function signedContent({ type }, body) {
  if (type !== 'signature' || body === undefined || body === null) return '';
  if (body instanceof FormData) throw new Error('A form with files cannot be signed.');
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result.replace(/^[^,]*,/, '')));
    reader.addEventListener('error', () => reject(new Error('The body cannot be read.')));
    reader.readAsDataURL(new Blob([body]));
  });
}

/** Copies the request with new credentials: a token of an earlier request may have expired. */
async function copy(request, caller) {
  const key = keyOf(request.get('method'), request.get('url'));
  const { method, url, headers, body } = sent.get(key) ?? {};
  try {
    if (url === undefined) throw new Error('Send the request first.');
    const shownHeaders = Object.entries(headers).filter(([header]) => header.toLowerCase() !== 'x-trace');
    const { text } = await ask('curl', {
      ...caller,
      content: await signedContent(caller, body),
      request: {
        method: method.toUpperCase(),
        url: new URL(url, location.href).href,
        headers: Object.fromEntries(shownHeaders),
        body: describedBody(body),
      },
    });
    await navigator.clipboard.writeText(text);
    return 'Copied.';
  } catch (error) {
    return error.message;
  }
}

function describedBody(body) {
  if (body === undefined || body === null || body === '') return null;
  if (body instanceof FormData)
    return [...body].map(([part, value]) => ({
      name: part,
      value: value instanceof File ? { file: value.name } : value,
    }));
  return body instanceof Blob ? { file: body.name ?? 'body' } : String(body);
}

/** Adds the button to Swagger UI's command, which has no credentials. */
function withCopy(Original, { React }) {
  const h = React.createElement;
  return (props) => {
    const [outcome, setOutcome] = React.useState('');
    const caller = current;
    if (caller === undefined) return h(Original, props);
    const click = async () => {
      setOutcome('');
      setOutcome(await copy(props.request, caller));
    };
    return h(
      React.Fragment,
      null,
      h(Original, props),
      h(
        'button',
        { type: 'button', className: 'btn apikiln-copy', onClick: click },
        `Copy as ${nameOf(caller)}`,
      ),
      h('output', { role: 'status', className: 'trace-note' }, ` ${outcome}`),
    );
  };
}

/** The page starts Swagger UI with its own options, to which these are added. */
const { SwaggerUIBundle: original } = globalThis;
if (original !== undefined)
  globalThis.SwaggerUIBundle = ({ requestInterceptor, plugins = [], ...options }) =>
    original({
      ...options,
      requestInterceptor: async (request) => withCredentials(await requestInterceptor(request)),
      plugins: [{ wrapComponents: { curl: withCopy } }, ...plugins],
    });

paint();
