/** Finds the positions at which a text is accepted, together with all other accepting positions. */
import { checkSource } from '../../compiler/compile.js';
import type { DescriptionInput } from '../../compiler/read/openapi/documents.js';
import { Workspace } from '../commands/workspace.js';
import { allPositions, filesWith, plainAt, type HostileFiles, type TextAt } from './service.js';

/** An error, and the positions on its line. */
interface Refusal {
  readonly message: string;
  readonly positions: readonly string[];
}

const positions = allPositions();
const plain = filesWith(plainAt);
const linesOfPlain = new Map(Object.entries(plain).map(([path, text]) => [path, text.split('\n')]));

/** Errors reported by the compiler, without checking the schema. */
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

/** The files are JSON with one value per line, whatever the values contain. */
function onLine(path: string, line: number): string[] {
  const words: readonly string[] = linesOfPlain.get(path)?.[line - 1]?.match(/z[a-z0-9]+/g) ?? [];
  return positions.filter((position) => words.includes(plainAt(position)));
}

/** The positions also accepted by the database, which loads the schema and checks the statements. */
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

/** The text at these positions, and plain words at the others. */
export function textsWith(text: string, some: ReadonlySet<string>): TextAt {
  return (position) => {
    if (!some.has(position)) return plainAt(position);
    return uniqueNames.has(position) ? `${text} ${plainAt(position)}` : text;
  };
}

/** Positions of names that must be unique in their scope: a word for the position is appended. */
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

/** Positions in the schema, whose names have at most 63 bytes and do not contain NUL. */
function isOfSchema(position: string): boolean {
  return /^(?:sql\.(?:table|column|other|alias|function)|schema\.)/.test(position);
}

function fitsSchema(text: string): boolean {
  return text !== '' && new TextEncoder().encode(text).length < 40 && !/\0|\p{Cs}/u.test(text);
}

/**
 * Whether the text has a special meaning at the position: a reference to the environment, an account in a URL, a path parameter, or a list
 * of hosts.
 */
function meansSomething(position: string, text: string): boolean {
  if (position === 'path.segment' || position.startsWith('request.')) return /[{}#]/.test(text);
  if (position === 'db.host') return text.includes(',');
  if (/^(?:db|rest|oauth2|described|jwt|basic|key|settings)\./.test(position)) return /\$\{|@/.test(text);
  return false;
}

/** The positions that accept the text at the same time. */
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

/** Adds positions that accept the text but share a line with one that does not. */
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
