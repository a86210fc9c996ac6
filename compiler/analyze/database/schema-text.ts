/** The SQL of a schema, taken apart into its statements: also as pg_dump and psql write it. */
import type { Source } from '../../read/source.js';
import { lexSql } from '../../read/sql/lexer.js';
import { noPlaceholders } from '../../read/sql/placeholders.js';

export interface SchemaStatement {
  readonly source: Source;
  /** Offsets in the source. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The statements, without what only psql understands: its own commands, and the rows of COPY. */
export function schemaStatements(source: Source): SchemaStatement[] {
  const text = withoutPsql(withoutDown(source.text));
  const statements: SchemaStatement[] = [];
  let start = 0;
  let hasContent = false;
  const end = (at: number): void => {
    if (hasContent) statements.push({ source, start, end: at, text: text.slice(start, at) });
    hasContent = false;
  };
  for (const token of lexSql(text, 'postgresql', noPlaceholders)) {
    const isContent = token.kind !== 'space' && token.kind !== 'comment' && token.text !== ';';
    if (isContent && !hasContent) start = token.start;
    hasContent ||= isContent;
    if (token.text === ';') end(token.end);
  }
  end(text.length);
  return statements;
}

/** The names of the extensions that a schema creates. */
export function extensionsIn(sources: readonly Source[]): string[] {
  const pattern = /\bCREATE\s+EXTENSION\s+(?:IF\s+NOT\s+EXISTS\s+)?"?([\w-]+)"?/gi;
  const names = sources.flatMap(({ text }) => [...text.matchAll(pattern)].map((found) => found[1] ?? ''));
  return [...new Set(names.map((name) => name.toLowerCase()))].sort();
}

/** Spaces in place of what is left out, so that everything else stays where it is. */
function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}

/** `\connect`, `\restrict` and similar, and the lines between `COPY … FROM stdin;` and `\.`; each on lines of their own. */
function withoutPsql(text: string): string {
  let isRow = false;
  const lines = text.split('\n').map((line) => {
    if (isRow) {
      isRow = line.trimEnd() !== '\\.';
      return blank(line);
    }
    isRow = /^COPY /i.test(line) && line.toLowerCase().includes(' from stdin');
    return isRow || /^\\\S/.test(line) ? blank(line) : line;
  });
  return lines.join('\n');
}

/** Migration tools keep the way back in the same file, behind a comment of theirs. */
function withoutDown(text: string): string {
  const down = /^--[ \t]*(?:migrate:down|\+goose[ \t]+Down|\+migrate[ \t]+Down|@DOWN)\b/im.exec(text);
  return down === null ? text : text.slice(0, down.index) + blank(text.slice(down.index));
}
