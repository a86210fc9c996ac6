/** The positions at which a text is accepted, together with all others that accept it. */
import { checkSource } from '../../compiler/compile.js';
import type { DescriptionInput } from '../../compiler/read/openapi/documents.js';
import { Workspace } from '../commands/workspace.js';
import { allPositions, filesWith, plainAt, type HostileFiles, type TextAt } from './service.js';

/** An error, and the positions that are on its line. */
interface Refusal {
  readonly message: string;
  readonly positions: readonly string[];
}

const positions = allPositions();
const plain = filesWith(plainAt);
const linesOfPlain = new Map(Object.entries(plain).map(([path, text]) => [path, text.split('\n')]));

/** What the compiler refuses. The schema is not looked at. */
export function refusals(files: HostileFiles): Refusal[] {
  const description = (path: 'openapi.json' | 'partner.json'): DescriptionInput => ({
    source: { path, text: files[path] },
    read: () => undefined,
  });
  const { diagnostics } = checkSource({
    config: { path: 'config.yaml', text: files['config.yaml'] },
    description: description('openapi.json'),
    thirdParty: (file) => (file === 'partner.json' ? description('partner.json') : undefined),
  });
  return diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ code, message, span }) => {
      const line = span.source.text.slice(0, span.start).split('\n').length;
      return { message: `${code}: ${message}`, positions: onLine(span.source.path, line) };
    });
}

/** JSON has one value a line, whatever is in it. */
function onLine(path: string, line: number): string[] {
  const words: readonly string[] = linesOfPlain.get(path)?.[line - 1]?.match(/z[a-z0-9]+/g) ?? [];
  return positions.filter((position) => words.includes(plainAt(position)));
}

/** Those of the positions that the database accepts too, which reads the schema, and the statements by it. */
export async function acceptedByDatabase(text: string, some: ReadonlySet<string>): Promise<Set<string>> {
  const accepted = new Set(some);
  for (;;) {
    const space = new Workspace();
    try {
      for (const [path, file] of Object.entries(filesWith(textsWith(text, accepted))))
        space.write(path, file);
      const { stdout } = await space.run('check', '--format', 'json', '--quiet');
      const { diagnostics } = JSON.parse(stdout) as {
        diagnostics: readonly { severity: string; message: string; file: string; line: number }[];
      };
      const errors = diagnostics.filter(({ severity }) => severity === 'error');
      if (errors.length === 0) return accepted;
      const blamed = errors
        .flatMap(({ file, line }) => onLine(file, line))
        .filter((one) => accepted.has(one));
      if (blamed.length === 0)
        throw new Error(`${JSON.stringify(text)} is refused at no position: ${stdout}`);
      for (const position of blamed) accepted.delete(position);
    } finally {
      space.remove();
    }
  }
}

/** The text at these positions, a plain one at the others. */
export function textsWith(text: string, some: ReadonlySet<string>): TextAt {
  return (position) => {
    if (!some.has(position)) return plainAt(position);
    return uniqueNames.has(position) ? `${text} ${plainAt(position)}` : text;
  };
}

/** Names of one scope, which must differ from each other: the position is at their end. */
const uniqueNames = new Set([
  ...[
    'db.name',
    'rest.name',
    'described.name',
    'auth.jwt',
    'auth.basic',
    'auth.key',
    'job.name',
    'part.name',
  ],
  ...['sql.table', 'sql.column', 'sql.other', 'sql.alias', 'sql.function', 'schema.type', 'schema.index'],
  ...['schema.constraint', 'auth.scope2', 'A.query', 'B.query', 'model.name', 'model.field', 'api.property'],
  ...['request.bodyPath', 'partner.property', 'partner.other', 'A.fulfillment', 'loop.name', 'loop.inner'],
  ...[
    'response.other',
    'request.key',
    'order.choice',
    'A.exception.key',
    'test.second',
    'api.enum',
    'partner.enum',
  ],
]);

/** Positions of the schema, which has names of at most 63 bytes, without NUL. */
function isOfSchema(position: string): boolean {
  return /^(?:sql\.(?:table|column|other|alias|function)|schema\.)/.test(position);
}

function fitsSchema(text: string): boolean {
  return text !== '' && new TextEncoder().encode(text).length < 40 && !/\0|\p{Cs}/u.test(text);
}

/**
 * Whether the text has a meaning in the position: a reference to the environment, an account in a URL, a path parameter, a list of hosts.
 */
function meansSomething(position: string, text: string): boolean {
  if (position === 'path.segment' || position.startsWith('request.')) return /[{}#]/.test(text);
  if (position === 'db.host') return text.includes(',');
  if (/^(?:db|rest|oauth2|described|jwt|basic|key|settings)\./.test(position)) return /\$\{|@/.test(text);
  return false;
}

/** The positions that accept the text together. */
export function acceptedPositions(text: string): Set<string> {
  const accepted = new Set(
    positions.filter(
      (position) => !meansSomething(position, text) && (!isOfSchema(position) || fitsSchema(text)),
    ),
  );
  const removed: string[] = [];
  for (;;) {
    const found = refusals(filesWith(textsWith(text, accepted)));
    if (found.length === 0) break;
    const blamed = found.flatMap((one) => one.positions).filter((position) => accepted.has(position));
    if (blamed.length === 0)
      throw new Error(`${JSON.stringify(text)} is refused at no position: ${found[0]?.message ?? ''}`);
    for (const position of blamed) accepted.delete(position);
    removed.push(...blamed);
  }
  add(text, [...new Set(removed)], accepted);
  return accepted;
}

/** Adds those that do accept it, and were on the line of another one. */
function add(text: string, some: readonly string[], accepted: Set<string>): void {
  if (some.length === 0) return;
  const all = new Set([...accepted, ...some]);
  if (refusals(filesWith(textsWith(text, all))).length === 0) {
    for (const position of some) accepted.add(position);
  } else if (some.length > 1) {
    const middle = Math.ceil(some.length / 2);
    add(text, some.slice(0, middle), accepted);
    add(text, some.slice(middle), accepted);
  }
}
