/** Splits the SQL of a schema into statements, including the output format of pg_dump and commands of psql. */
import type { Source } from '../../read/source.js';
import { lexSql } from '../../read/sql/lexer/lexer.js';
import { noPlaceholders } from '../../read/sql/lexer/placeholders.js';

export interface SchemaStatement {
  readonly source: Source;
  /** Offsets in the source. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The rows of `COPY … FROM stdin`. */
  readonly rows?: string;
}

/** The statements, without psql commands. */
export function schemaStatements(source: Source): SchemaStatement[] {
  const { text, rows } = withoutPsql(withoutDown(source.text));
  const statements: SchemaStatement[] = [];
  let start = 0;
  let words: string[] = [];
  const end = (at: number): void => {
    const own = rows.get(at);
    if (words.length > 0)
      statements.push({
        source,
        start,
        end: at,
        text: text.slice(start, at),
        ...(own !== undefined && { rows: own }),
      });
    words = [];
  };
  for (const token of lexSql(text, 'postgresql', noPlaceholders)) {
    if (token.kind === 'space' || token.kind === 'comment') continue;
    const isEnd = token.text === ';';
    if (words.length === 0 && !isEnd) start = token.start;
    if (isEnd && !isInBody(words)) end(token.end);
    else words.push(token.kind === 'word' ? token.text.toUpperCase() : '');
  }
  end(text.length);
  return statements;
}

/** Whether the tokens end inside a function's SQL body: `CREATE FUNCTION … BEGIN ATOMIC SELECT 1; END`. */
function isInBody(words: readonly string[]): boolean {
  const body = words[0] === 'CREATE' ? words.indexOf('ATOMIC') : -1;
  if (body === -1 || words[body - 1] !== 'BEGIN') return false;
  const count = (word: string): number => words.filter((one, at) => at > body && one === word).length;
  return count('END') <= count('CASE');
}

/** The names of the extensions created by a schema. */
export function extensionsIn(sources: readonly Source[]): string[] {
  const pattern = /\bCREATE\s+EXTENSION\s+(?:IF\s+NOT\s+EXISTS\s+)?"?([\w-]+)"?/gi;
  const names = sources.flatMap(({ text }) => [...text.matchAll(pattern)].map((found) => found[1] ?? ''));
  return [...new Set(names.map((name) => name.toLowerCase()))].sort();
}

/** Replaces a removed part with spaces, so that all other positions stay the same. */
function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}

/** Whether psql would read rows or statements from other files: `\copy town FROM 'towns.csv'`, `\i towns.sql`. */
export function readsOtherFiles({ text }: Source): boolean {
  return /^\\(?:copy|ir?|include|include_relative)\s/im.test(text);
}

const name = String.raw`(?:"(?:[^"]|"")+"|[\w$\u0080-\uffff]+)`;
/** Matches COPY up to the end of its line, after which the rows begin. */
const copy = new RegExp(
  String.raw`^(COPY\s+${name}(?:\.${name})*\s*(?:\([^()]*\)\s*)?FROM\s+STDIN\b(?:[^;']|'[^']*')*;)[^\n]*(?:\n|$)`,
  'gim',
);
const lastRow = /^\\\.[ \t\r]*$/gm;

/**
 * `rows` contains the rows between `COPY … FROM stdin;` and `\.`, keyed by the end of the statement. `\connect`, `\restrict` and similar
 * commands are on separate lines.
 */
function withoutPsql(text: string): { text: string; rows: ReadonlyMap<number, string> } {
  const rows = new Map<number, string>();
  let rest = '';
  for (copy.lastIndex = 0; ; copy.lastIndex = rest.length) {
    const found = copy.exec(text);
    if (found === null) break;
    const [all, statement = ''] = found;
    const start = found.index + all.length;
    lastRow.lastIndex = start;
    const { index: last, 0: mark } = lastRow.exec(text) ?? { index: text.length, 0: '' };
    rows.set(found.index + statement.length, text.slice(start, last));
    rest += text.slice(rest.length, start) + blank(text.slice(start, last + mark.length));
  }
  rest += text.slice(rest.length);
  return { text: rest.replaceAll(/^\\\S.*$/gm, blank), rows };
}

/** Removes the down migration, which migration tools keep in the same file after a special comment. */
function withoutDown(text: string): string {
  const down = /^--[ \t]*(?:migrate:down|\+goose[ \t]+Down|\+migrate[ \t]+Down|@DOWN)\b/im.exec(text);
  return down === null ? text : text.slice(0, down.index) + blank(text.slice(down.index));
}

/** Applies `ALTER DATABASE app SET …` to the current database, which has another name. */
export function settingOf(text: string, database: string): string {
  return text.replace(alterDatabase, (_, before: string) => before + database);
}

const alterDatabase = new RegExp(String.raw`^(ALTER\s+DATABASE\s+)${name}(?=\s+(?:SET|RESET)\s)`, 'i');

/** Removes the clauses that specify where tables are stored. */
export function withoutTablespaces(text: string): string {
  return text.replaceAll(tablespace, blank);
}

const tablespace = new RegExp(String.raw`\b(?:USING\s+INDEX\s+)?TABLESPACE\s+${name}`, 'gi');
