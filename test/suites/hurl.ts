/** Runs Hurl files (hurl.dev), supporting only the features used by the RealWorld suite: other lines are errors. */

/** A request, and the assertions about its response. */
interface Entry {
  readonly title: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  body: string;
  status: number;
  readonly asserts: string[];
  readonly captures: string[];
}

export interface HurlResponse {
  readonly request: { readonly method: string; readonly url: string };
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface HurlOutcome {
  /** The number of statuses and `[Asserts]` lines. */
  readonly assertions: number;
  readonly failures: string[];
}

/** Sends the requests of a file in turn; `received` is called with each response. */
export async function runHurl(
  text: string,
  variables: Readonly<Record<string, unknown>>,
  received: (response: HurlResponse) => void,
): Promise<HurlOutcome> {
  const known = new Map(Object.entries(variables));
  const failures: string[] = [];
  let assertions = 0;
  for (const entry of entriesOf(text)) {
    const { title, method, status, asserts } = entry;
    const url = filled(entry.url, known);
    const body = filled(entry.body, known);
    const headers = Object.entries(entry.headers).map(([name, value]): [string, string] => [
      name,
      filled(value, known),
    ]);
    const response = await fetch(url, {
      method,
      headers: [
        ...headers,
        ...(body === '' ? [] : [['Content-Type', 'application/json'] as [string, string]]),
      ],
      ...(body === '' ? {} : { body }),
    });
    const answer = await response.text();
    received({ request: { method, url }, status: response.status, headers: response.headers, text: answer });
    assertions += 1 + asserts.length;
    if (response.status !== status) failures.push(`${title}: ${response.status}, not ${status}: ${answer}`);
    for (const capture of entry.captures) {
      const [, name = '', path = ''] = matched(/^(\w+): jsonpath "(.+)"$/, capture);
      known.set(name, valueAt(answer, path));
    }
    for (const line of asserts)
      if (!holds(line, answer, known)) failures.push(`${title}: ${line}: ${answer}`);
  }
  return { assertions, failures };
}

function entriesOf(text: string): Entry[] {
  const entries: Entry[] = [];
  let title = '';
  let section: 'head' | 'body' | 'response' | 'asserts' | 'captures' = 'response';
  for (const line of text.split('\n')) {
    const entry = entries.at(-1);
    const [, method, url = ''] = /^([A-Z]+) (\{\{host\}\}\S*)$/.exec(line) ?? [];
    const [, status] = /^HTTP (\d{3})$/.exec(line) ?? [];
    const [, header, value = ''] = (section === 'head' && /^([\w-]+): (.+)$/.exec(line)) || [];
    if (line.trim() === '') continue;
    else if (line.startsWith('#')) title = line.slice(1).trim();
    else if (method !== undefined) {
      section = 'head';
      entries.push({ title, method, url, headers: {}, body: '', status: 0, asserts: [], captures: [] });
    } else if (entry === undefined) throw new Error(`not a request: ${line}`);
    else if (status !== undefined) {
      section = 'response';
      entry.status = Number(status);
    } else if (line === '[Asserts]') section = 'asserts';
    else if (line === '[Captures]') section = 'captures';
    else if (header !== undefined) entry.headers[header] = value;
    else if (section === 'asserts') entry.asserts.push(line);
    else if (section === 'captures') entry.captures.push(line);
    else if (section === 'body' || (section === 'head' && line === '{')) {
      section = 'body';
      entry.body += `${line}\n`;
    } else throw new Error(`not known: ${line}`);
  }
  return entries;
}

function filled(text: string, known: ReadonlyMap<string, unknown>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    if (!known.has(name)) throw new Error(`no variable '${name}'`);
    return String(known.get(name));
  });
}

/** Undefined if the path does not exist. */
function valueAt(text: string, path: string): unknown {
  const [, steps = ''] = matched(/^\$((?:\.\w+|\[\d+\])*)$/, path);
  let value: unknown = JSON.parse(text);
  for (const [, name, index = ''] of steps.matchAll(/\.(\w+)|\[(\d+)\]/g)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[name ?? index];
  }
  return value;
}

function holds(line: string, text: string, known: ReadonlyMap<string, unknown>): boolean {
  const [, path = '', rest = ''] = matched(/^jsonpath "([^"]+)" (.+)$/, line);
  let value: unknown;
  try {
    value = valueAt(text, path);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
  const [, not, isCount, predicate = '', operand] = matched(
    /^(not )?(count )?(==|!=|>=|matches|contains|exists|isEmpty|isString|isInteger|isBoolean|isList)(?: (.+))?$/,
    rest,
  );
  const subject = isCount === undefined ? value : Array.isArray(value) ? value.length : undefined;
  return predicateHolds(predicate, subject, operandOf(operand, known)) === (not === undefined);
}

function predicateHolds(predicate: string, value: unknown, operand: unknown): boolean {
  switch (predicate) {
    case '==':
      return value === operand;
    case '!=':
      return value !== undefined && value !== operand;
    case '>=':
      return typeof value === 'number' && typeof operand === 'number' && value >= operand;
    case 'matches':
      return typeof value === 'string' && new RegExp(String(operand)).test(value);
    case 'contains':
      return Array.isArray(value) && value.includes(operand);
    case 'exists':
      return value !== undefined;
    case 'isEmpty':
      return typeof value === 'string' ? value === '' : Array.isArray(value) && value.length === 0;
    case 'isString':
      return typeof value === 'string';
    case 'isInteger':
      return Number.isInteger(value);
    case 'isBoolean':
      return typeof value === 'boolean';
    default:
      return Array.isArray(value);
  }
}

/** Parses JSON with variables in its strings, or a variable that keeps its type. */
function operandOf(text: string | undefined, known: ReadonlyMap<string, unknown>): unknown {
  if (text === undefined) return undefined;
  const [, name] = /^\{\{(\w+)\}\}$/.exec(text) ?? [];
  if (name !== undefined) return known.get(name);
  const value: unknown = JSON.parse(text);
  return typeof value === 'string' ? filled(value, known) : value;
}

function matched(pattern: RegExp, text: string): RegExpExecArray {
  const found = pattern.exec(text);
  if (found === null) throw new Error(`not known: ${text}`);
  return found;
}
