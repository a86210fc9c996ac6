/** Finds the definitions of tables, views and columns in a schema's SQL files. */
import type { Dialect } from '../../../read/sql/dialect.js';
import { lexSql } from '../../../read/sql/lexer/lexer.js';
import { noPlaceholders } from '../../../read/sql/lexer/placeholders.js';
import type { Token } from '../../../read/sql/lexer/token.js';
import type { Source, Span } from '../../../read/source.js';
import { wordSet } from '../../../read/wordset.js';

export interface DefinedColumn {
  readonly name: string;
  readonly span: Span;
  /** Includes the type and constraints. */
  readonly definition: Span;
}

export interface DefinedTable {
  /** The name without quotes and schema. */
  readonly name: string;
  readonly span: Span;
  /** The CREATE statement. */
  readonly statement: Span;
  /** Includes columns that are added later. Empty for views. */
  readonly columns: readonly DefinedColumn[];
}

/** A table whose columns are still being collected. */
interface FoundTable extends DefinedTable {
  readonly columns: DefinedColumn[];
}

/** `sources` are in the order in which they are run. */
export function definedTables(sources: readonly Source[], dialect: Dialect): readonly DefinedTable[] {
  const found: FoundTable[] = [];
  for (const source of sources)
    for (const statement of statementsIn(source, dialect)) new StatementReader(statement, found).read();
  return found;
}

/** The item with this name, ignoring case. */
export function named<Named extends { readonly name: string }>(
  all: readonly Named[],
  name: string,
): Named | undefined {
  return all.find((one) => one.name.toLowerCase() === name.toLowerCase());
}

/** The name in a token, without quotes. */
function unquoted({ kind, text }: Pick<Token, 'kind' | 'text'>): string {
  if (kind !== 'quoted-name') return text;
  const quote = text.charAt(0);
  return text.slice(1, -1).replaceAll(quote + quote, quote);
}

interface Statement {
  readonly source: Source;
  readonly dialect: Dialect;
  /** Tokens without white space and comments. */
  readonly tokens: readonly Token[];
}

function statementsIn(source: Source, dialect: Dialect): Statement[] {
  const statements: Token[][] = [[]];
  for (const token of lexSql(source.text, dialect, noPlaceholders)) {
    if (token.text === ';') statements.push([]);
    else if (token.kind !== 'space' && token.kind !== 'comment') statements.at(-1)?.push(token);
  }
  return statements.map((tokens) => ({ source, dialect, tokens }));
}

/** Reads one statement, ignoring unknown parts. */
class StatementReader {
  #at = 0;

  constructor(
    private readonly statement: Statement,
    private readonly found: FoundTable[],
  ) {}

  read(): void {
    if (this.#take('CREATE')) this.#create();
    else if (this.#take('ALTER') && this.#take('TABLE')) this.#alter();
  }

  #create(): void {
    while (this.#word() !== 'TABLE' && this.#word() !== 'VIEW') {
      if (!modifiers.has(this.#word())) return;
      this.#at += 1;
    }
    const isTable = this.#take('TABLE');
    if (!isTable) this.#at += 1;
    if (this.#take('IF')) this.#at += 2;
    const name = this.#name();
    if (name === undefined) return;
    const columns = isTable && this.#take('(') ? this.#columns() : [];
    this.found.push({ ...this.#named(name), statement: this.#span(0, Infinity), columns });
  }

  #alter(): void {
    if (this.#take('IF')) this.#at += 1;
    this.#take('ONLY');
    const name = this.#name();
    const table = name && named(this.found, unquoted(name));
    if (table === undefined) return;
    for (const [first, last] of this.#elements()) {
      this.#at = first;
      if (this.#take('ADD')) this.#added(table, last);
      else if (this.#take('RENAME')) this.#renamed(table, last);
    }
  }

  #added({ columns }: FoundTable, last: number): void {
    const isColumn = this.#take('COLUMN');
    if (this.#take('IF')) this.#at += 2;
    if (this.#take('(')) columns.push(...this.#columns());
    else if (isColumn || !this.#isConstraint()) columns.push(...this.#column(last));
  }

  /** Reads `RENAME [COLUMN] a TO b` or `RENAME TO b`. */
  #renamed(table: FoundTable, last: number): void {
    this.#take('COLUMN');
    const old = this.#take('TO') ? undefined : this.#name();
    if (old !== undefined) this.#take('TO');
    const next = this.#name();
    if (next === undefined) return;
    if (old === undefined) this.found.push({ ...table, ...this.#named(next) });
    else {
      const known = named(table.columns, unquoted(old));
      table.columns.push({
        ...this.#named(next),
        definition: known?.definition ?? this.#span(this.#at - 1, last),
      });
    }
  }

  /** Call after the opening parenthesis. */
  #columns(): DefinedColumn[] {
    return this.#elements().flatMap(([first, last]) => {
      this.#at = first;
      return this.#isConstraint() ? [] : this.#column(last);
    });
  }

  #column(last: number): DefinedColumn[] {
    const first = this.#at;
    const name = this.#name();
    return name === undefined ? [] : [{ ...this.#named(name), definition: this.#span(first, last) }];
  }

  #isConstraint(): boolean {
    return constraints[this.statement.dialect].has(this.#word());
  }

  /** First and last tokens of the comma-separated elements, up to the closing parenthesis or the end of the statement. */
  #elements(): (readonly [first: number, last: number])[] {
    const { tokens } = this.statement;
    const elements: [number, number][] = [];
    let first = this.#at;
    let depth = 0;
    let at = first;
    for (; at < tokens.length; at += 1) {
      const text = tokens[at]?.text;
      if (text === '(') depth += 1;
      if (text === ')') depth -= 1;
      if (depth < 0) break;
      if (text !== ',' || depth > 0) continue;
      elements.push([first, at - 1]);
      first = at + 1;
    }
    if (first < at) elements.push([first, at - 1]);
    return elements;
  }

  /** The last part of a qualified name; undefined if there is no name. */
  #name(): Token | undefined {
    const { tokens } = this.statement;
    while (tokens[this.#at + 1]?.text === '.') this.#at += 2;
    const token = tokens[this.#at];
    if (token?.kind !== 'word' && token?.kind !== 'quoted-name') return undefined;
    this.#at += 1;
    return token;
  }

  #named(token: Token): { readonly name: string; readonly span: Span } {
    const { source } = this.statement;
    return { name: unquoted(token), span: { source, start: token.start, end: token.end } };
  }

  #span(first: number, last: number): Span {
    const { source, tokens } = this.statement;
    const start = tokens[first]?.start ?? 0;
    return { source, start, end: (tokens[last] ?? tokens.at(-1))?.end ?? start };
  }

  #word(): string {
    return this.statement.tokens[this.#at]?.text.toUpperCase() ?? '';
  }

  #take(word: string): boolean {
    if (this.#word() !== word) return false;
    this.#at += 1;
    return true;
  }
}

/** Words between CREATE and TABLE or VIEW. */
const modifiers = wordSet(`
  OR REPLACE GLOBAL LOCAL TEMP TEMPORARY UNLOGGED FOREIGN MATERIALIZED RECURSIVE ALGORITHM = UNDEFINED
  MERGE TEMPTABLE SQL SECURITY INVOKER DEFINER
`);

/** Words that start an element of CREATE TABLE other than a column. */
const constraints: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  postgresql: new Set(['CONSTRAINT', 'PRIMARY', 'UNIQUE', 'CHECK', 'FOREIGN', 'EXCLUDE', 'LIKE']),
  mysql: wordSet('CONSTRAINT PRIMARY UNIQUE CHECK FOREIGN LIKE KEY INDEX FULLTEXT SPATIAL PERIOD'),
};
