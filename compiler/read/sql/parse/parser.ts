/**
 * The parser for both dialects, with one method per production. It never rejects SQL: unknown syntax becomes an opaque node, up to the next
 * comma, clause or closing parenthesis, and the database decides.
 */
import type { Dialect } from '../dialect.js';
import type { Token } from '../lexer/token.js';
import { wordSet } from '../../wordset.js';
import { infixAt, operatorAt, precedence, type Infix } from './sql-operators.js';
import type { Clause, Column, Item, Name, Query, SqlNode, SqlTree, Table, Type, WithQuery } from './tree.js';
import { descendants } from './tree.js';
import {
  callableWords,
  clauseWords,
  constantWords,
  notBareLabels,
  reservedWords,
  setOperators,
} from './sql-words.js';

/** The tokens of a SQL string without white space and comments. */
export function itemsOf(tokens: readonly Token[]): Item[] {
  const items: Item[] = [];
  const open: Item[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'space' || token.kind === 'comment') continue;
    const word = token.kind === 'word' || token.kind === 'operator' ? token.text.toUpperCase() : '';
    const item: Item = { token, index, word, close: -1 };
    if (word === '(' || word === '[') open.push(item);
    if (word === ']' && open.at(-1)?.word === '[') closeLast(open, items.length);
    if (word === ')') {
      // An unclosed bracket ends with the surrounding parentheses.
      while (open.at(-1)?.word === '[' && open.some((one) => one.word === '(')) open.pop();
      if (open.at(-1)?.word === '(') closeLast(open, items.length);
    }
    items.push(item);
  }
  return items;
}

function closeLast(open: Item[], close: number): void {
  const item = open.pop();
  if (item !== undefined) item.close = close;
}

/** The tree of a statement. */
export function parseSql(items: readonly Item[], dialect: Dialect): SqlTree {
  const root = new Parser(items, dialect).text();
  const nodes = descendants(root);
  for (const node of nodes) {
    const query = node.kind === 'query' ? node : node.query;
    const clause = node.kind === 'clause' ? node : node.kind === 'query' ? undefined : node.clause;
    for (const child of node.children) {
      child.parent = node;
      if (query !== undefined) child.query = query;
      if (clause !== undefined) child.clause = clause;
    }
  }
  let main = root;
  for (let inner = main.parts[0]; main.isCombined && inner !== undefined; inner = main.parts[0]) main = inner;
  return { items, root, main, nodes };
}

/** Maximum nesting depth. Deeper parts become opaque, so that no input overflows the stack. */
const deepest = 200;

const queryWords = wordSet('SELECT WITH VALUES TABLE');
const dataVerbs = wordSet('INSERT UPDATE DELETE MERGE REPLACE');
const joinWords = wordSet('JOIN LEFT RIGHT FULL INNER CROSS NATURAL STRAIGHT_JOIN USING');
const selectModifiers: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  postgresql: wordSet('ALL DISTINCT'),
  mysql: wordSet(`
    ALL DISTINCT DISTINCTROW HIGH_PRIORITY STRAIGHT_JOIN SQL_SMALL_RESULT SQL_BIG_RESULT SQL_BUFFER_RESULT SQL_NO_CACHE SQL_CACHE
    SQL_CALC_FOUND_ROWS
  `),
};
const changeModifiers = wordSet('LOW_PRIORITY DELAYED HIGH_PRIORITY IGNORE QUICK');
/** Verbs after which (or after whose AS or FOR) a statement follows. */
const explaining = wordSet('EXPLAIN ANALYZE DESC DESCRIBE');
const units = wordSet(`
  MICROSECOND SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR SECOND_MICROSECOND MINUTE_MICROSECOND MINUTE_SECOND HOUR_MICROSECOND
  HOUR_SECOND HOUR_MINUTE DAY_MICROSECOND DAY_SECOND DAY_MINUTE DAY_HOUR YEAR_MONTH
`);
/** Words that end a part of a statement, by kind of part. */
const ends = {
  insertedTable: wordSet('VALUES VALUE SET SELECT DEFAULT OVERRIDING WITH'),
  updatedTables: wordSet('SET'),
  deletedTables: wordSet('USING'),
  branch: wordSet('WHEN THEN'),
  groups: wordSet('WITH'),
  locked: wordSet('NOWAIT SKIP WAIT'),
  windowPart: wordSet('PARTITION ORDER ROWS RANGE GROUPS'),
  caseValue: wordSet('WHEN THEN ELSE END'),
  argument: wordSet('ORDER SEPARATOR PLACING SIMILAR ESCAPE AS COLUMNS'),
};
/** Modifiers after a keyword, by position. */
const modifiersOf = {
  setOperator: wordSet('ALL DISTINCT'),
  branch: wordSet('NOT MATCHED BY SOURCE TARGET'),
  limit: wordSet('FIRST NEXT ALL'),
  behindLimit: wordSet('ROW ROWS ONLY PERCENT WITH TIES EXAMINED'),
  lock: wordSet(
    'UPDATE SHARE NO KEY IN MODE TEMP TEMPORARY UNLOGGED TABLE OUTFILE DUMPFILE LOCAL GLOBAL OF NOWAIT SKIP LOCKED',
  ),
  behindLock: wordSet('NOWAIT SKIP LOCKED WAIT'),
  argument: wordSet('VARIADIC'),
  period: wordSet('TIMESTAMP TRANSACTION'),
};
/** Words that separate the arguments of functions with a syntax of their own. */
const argumentWords = wordSet('FROM FOR USING PLACING SIMILAR ESCAPE');
const argumentModifiers = wordSet('DISTINCT ALL BOTH LEADING TRAILING VARIADIC');
const quantifiers = wordSet('ANY SOME ALL');
const none: ReadonlySet<string> = new Set();

function isNamePart(item: Item | undefined): boolean {
  const kind = item?.token.kind;
  return kind === 'word' || kind === 'quoted-name';
}

class Parser {
  #at = 0;
  /** The index after the numbers of the latest LIMIT, where OFFSET is not a name. */
  #limitEnd = -1;
  #end: number;
  #depth = 0;
  /** Additional words that end the current part. */
  #stops: ReadonlySet<string> = none;

  constructor(
    private readonly items: readonly Item[],
    private readonly dialect: Dialect,
  ) {
    this.#end = items.length;
  }

  text(): Query {
    return { ...this.#wholeQuery(), first: 0, last: this.items.length - 1 };
  }

  /* ---- Positions ---- */

  #item(offset = 0): Item | undefined {
    return this.#at + offset < this.#end ? this.items[this.#at + offset] : undefined;
  }

  #word(offset = 0): string {
    return this.#item(offset)?.word ?? '';
  }

  #kind(offset = 0): Token['kind'] | undefined {
    return this.#item(offset)?.token.kind;
  }

  #isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  /** Skips the words if all of them follow. */
  #take(...words: readonly string[]): boolean {
    if (!words.every((word, offset) => this.#word(offset) === word)) return false;
    this.#at += words.length;
    return true;
  }

  /** Skips the next words as long as they are in `words`, and returns them. */
  #takeAll(words: ReadonlySet<string>): string[] {
    const found: string[] = [];
    for (; words.has(this.#word()); this.#at += 1) found.push(this.#word());
    return found;
  }

  /** Parses the inside of the parentheses or brackets at this position with `parse`; the remainder becomes opaque. */
  #inside(parse: () => readonly SqlNode[]): SqlNode[] {
    const close = this.#item()?.close ?? -1;
    const outer = { end: this.#end, stops: this.#stops };
    const isClosed = close !== -1 && close < outer.end;
    this.#at += 1;
    this.#end = isClosed ? close : outer.end;
    this.#stops = none;
    this.#depth += 1;
    const found = this.#depth > deepest ? [] : [...parse()];
    found.push(...this.#opaque(() => false));
    this.#depth -= 1;
    this.#end = outer.end;
    this.#stops = outer.stops;
    this.#at = isClosed ? close + 1 : outer.end;
    return found;
  }

  /** Parses with `parse`, stopping at these words. */
  #until<Found>(words: ReadonlySet<string>, parse: () => Found): Found {
    const outer = this.#stops;
    this.#stops = words;
    const found = parse();
    this.#stops = outer;
    return found;
  }

  /** These words, and the stop words of the enclosing parts. */
  #stopsWith(words: ReadonlySet<string>): ReadonlySet<string> {
    return this.#stops.size === 0 ? words : new Set([...this.#stops, ...words]);
  }

  /** The list inside the parentheses at this position. */
  #listInside(name: string): Clause {
    const first = this.#at;
    const elements = this.#inside(() => this.#list(() => this.#expression()));
    return this.#clause(name, first, elements);
  }

  /** Skips parentheses that contain only names and types. */
  #skip(): void {
    const close = this.#item()?.close ?? -1;
    this.#at = close === -1 ? this.#end : Math.min(close + 1, this.#end);
  }

  /** Skips unknown SQL until `isEnd`: returns an opaque node with the expressions inside, or an empty list. */
  #opaque(isEnd: () => boolean): SqlNode[] {
    const first = this.#at;
    const children: SqlNode[] = [];
    while (!this.#isAtEnd() && (this.#at === first || !isEnd())) {
      const start = this.#at;
      const found = this.#depth > deepest ? this.#placeholder() : this.#expression();
      if (found !== undefined) children.push(found);
      if (this.#at === start) this.#at += 1;
    }
    return this.#at === first ? [] : [{ kind: 'opaque', first, last: this.#at - 1, children }];
  }

  /** The unparsed rest of a list element, as an opaque node. */
  #leftover(): SqlNode[] {
    return this.#isBoundary() ? [] : this.#opaque(() => this.#isBoundary());
  }

  #isBoundary(): boolean {
    return this.#isAtEnd() || this.#word() === ',' || this.#startsClause();
  }

  #startsClause(): boolean {
    const word = this.#word();
    if (word === '') return false;
    if (clauseWords[this.dialect].has(word) || this.#stops.has(word)) return true;
    if (setOperators.has(word)) return word !== 'MINUS' || /^(?:SELECT|ALL|DISTINCT|\()$/.test(this.#word(1));
    if (this.dialect === 'postgresql') return false;
    if (word === 'FETCH') return /^(?:FIRST|NEXT)$/.test(this.#word(1));
    if (word === 'WINDOW') return this.#word(2) === 'AS';
    if (word !== 'OFFSET') return false;
    return this.#at === this.#limitEnd || /^(?:number|placeholder)$/.test(this.#kind(1) ?? '');
  }

  /** Elements separated by commas. */
  #list(element: () => SqlNode | undefined): SqlNode[] {
    const found: SqlNode[] = [];
    while (!this.#isAtEnd() && !this.#startsClause()) {
      const one = this.#word() === ',' ? undefined : element();
      if (one !== undefined) found.push(one);
      found.push(...this.#leftover());
      if (!this.#take(',')) break;
    }
    return found;
  }

  #clause(
    name: string,
    first: number,
    children: readonly SqlNode[],
    modifiers: readonly string[] = [],
  ): Clause {
    return { kind: 'clause', name, modifiers, first, last: this.#at - 1, children };
  }

  /* ---- Statements ---- */

  /** The query up to the end of the SQL or of the surrounding parentheses. */
  #wholeQuery(): Query {
    const query = this.#query();
    const first = this.#at;
    const rest = this.#opaque(() => false);
    if (rest.length === 0) return query;
    const clause = this.#clause('', first, rest);
    return {
      ...query,
      last: clause.last,
      clauses: [...query.clauses, clause],
      children: [...query.children, clause],
    };
  }

  #query(): Query {
    const first = this.#at;
    if (this.dialect === 'mysql' && this.#word() === 'SET' && this.#word(1) === 'STATEMENT')
      return this.#setStatement();
    const { queries, isRecursive } =
      this.#word() === 'WITH' ? this.#with() : { queries: [], isRecursive: false };
    const isPlain = this.#word() !== '(';
    const parts = [this.#part()];
    const operators: string[] = [];
    while (setOperators.has(this.#word()) && this.#startsClause()) {
      const operator = this.#word();
      this.#at += 1;
      const quantifier = this.#takeAll(modifiersOf.setOperator);
      operators.push([operator, ...quantifier].join(' '));
      parts.push(this.#part());
    }
    const [head] = parts;
    const isData = head === undefined || (isPlain && parts.length === 1 && !queryWords.has(head.verb));
    const tail = isData ? [] : this.#clauses(selectClauses);
    const isCombined = parts.length > 1 || (!isPlain && (tail.length > 0 || queries.length > 0));
    if (head === undefined) throw new Error('a query has a part');
    const last = this.#at - 1;
    if (isCombined)
      return {
        kind: 'query',
        verb: head.verb,
        verbItem: head.verbItem,
        with: queries,
        isRecursive,
        parts,
        operators,
        isCombined,
        clauses: tail,
        first,
        last,
        children: [...queries, ...parts, ...tail],
      };
    if (!isPlain || (queries.length === 0 && tail.length === 0)) return head;
    const clauses = [...head.clauses, ...tail];
    const children = [...queries, ...head.children, ...tail];
    return { ...head, with: queries, isRecursive, clauses, first, last, children };
  }

  /** MariaDB's `SET STATEMENT a = 1 FOR SELECT …`. */
  #setStatement(): Query {
    const first = this.#at;
    this.#at += 2;
    const settings = this.#opaque(() => this.#word() === 'FOR');
    const clause = this.#clause('', first, settings);
    this.#take('FOR');
    const inner = this.#query();
    const base = { verb: inner.verb, verbItem: inner.verbItem, with: [], isRecursive: false, operators: [] };
    return {
      ...{ kind: 'query', ...base, parts: [inner], isCombined: true, clauses: [clause] },
      ...{ first, last: this.#at - 1, children: [clause, inner] },
    };
  }

  #with(): { queries: WithQuery[]; isRecursive: boolean } {
    this.#at += 1;
    const isRecursive = this.#word() === 'RECURSIVE' && !/^(?:AS|\()$/.test(this.#word(1));
    if (isRecursive) this.#at += 1;
    const queries: WithQuery[] = [];
    do {
      const name = this.#at;
      if (!this.#isName()) break;
      this.#at += 1;
      if (this.#word() === '(') this.#skip();
      this.#take('AS');
      this.#take('NOT');
      this.#take('MATERIALIZED');
      const body = this.#word() === '(' ? this.#body() : undefined;
      // SEARCH and CYCLE clauses.
      const isEnd = (): boolean => this.#word() === ',' || this.#word() === '(' || this.#beginsStatement();
      const rest = isEnd() ? [] : this.#opaque(isEnd);
      const children = [...(body === undefined ? [] : [body]), ...rest];
      queries.push({ kind: 'with-query', name, body, first: name, last: this.#at - 1, children });
    } while (this.#take(','));
    return { queries, isRecursive };
  }

  /** The query inside the parentheses at this position. */
  #body(): Query | undefined {
    const [query] = this.#inside(() => [this.#wholeQuery()]);
    return query?.kind === 'query' ? query : undefined;
  }

  #beginsStatement(): boolean {
    return queryWords.has(this.#word()) || dataVerbs.has(this.#word());
  }

  /** A statement without WITH and set operators. */
  #part(): Query {
    const verb = this.#word();
    switch (verb) {
      case '(':
        return this.#body() ?? this.#other();
      case 'SELECT':
        return this.#select();
      case 'VALUES':
        return this.#statement(verb, () => [this.#values()]);
      case 'TABLE':
        return this.#statement(verb, (first) => {
          this.#at += 1;
          return [this.#clause('FROM', first, this.#target())];
        });
      case 'WITH':
        return this.#depth > deepest ? this.#other() : this.#nested();
      case 'INSERT':
      case 'REPLACE':
        return this.#insert(verb);
      case 'UPDATE':
        return this.#statement(verb, () => this.#update());
      case 'SET':
        return this.dialect === 'mysql'
          ? this.#statement(verb, () => [this.#assignments('', 1)])
          : this.#other();
      case 'DELETE':
        return this.#statement(verb, () => this.#delete());
      case 'MERGE':
        return this.#statement(verb, () => this.#merge());
      default:
        return this.#other();
    }
  }

  #nested(): Query {
    this.#depth += 1;
    const query = this.#query();
    this.#depth -= 1;
    return query;
  }

  #statement(verb: string, parse: (first: number) => readonly (Clause | Query)[]): Query {
    const first = this.#at;
    const children = parse(first);
    const parts = children.filter((child) => child.kind === 'query');
    const clauses = children.filter((child) => child.kind === 'clause');
    return {
      kind: 'query',
      verb,
      verbItem: first,
      with: [],
      isRecursive: false,
      parts,
      operators: [],
      isCombined: false,
      clauses,
      first,
      last: this.#at - 1,
      children,
    };
  }

  #select(): Query {
    return this.#statement('SELECT', (first) => {
      this.#at += 1;
      const modifiers: string[] = [];
      const on: Clause[] = [];
      while (selectModifiers[this.dialect].has(this.#word())) {
        modifiers.push(this.#word());
        this.#at += 1;
        if (modifiers.at(-1) === 'DISTINCT' && this.#word() === 'ON' && this.#word(1) === '(') {
          this.#at += 1;
          on.push(this.#listInside('DISTINCT'));
        }
      }
      // Without DISTINCT ON, whose list is a separate clause.
      const start = on.length === 0 ? first : this.#at;
      const list = this.#clause(
        'SELECT',
        start,
        this.#list(() => this.#column()),
        modifiers,
      );
      return [...on, list, ...this.#clauses(bodyClauses)];
    });
  }

  /** VALUES (…), (…) */
  #values(): Clause {
    const first = this.#at;
    this.#at += 1;
    const rows: SqlNode[] = [];
    do {
      if (this.#word() !== '(' && this.#word() !== 'ROW') break;
      const row = this.#prefix();
      if (row !== undefined) rows.push(row);
    } while (this.#take(','));
    return this.#clause('VALUES', first, rows);
  }

  #insert(verb: string): Query {
    return this.#statement(verb, (first) => {
      this.#at += 1;
      const modifiers = this.#takeAll(changeModifiers);
      this.#take('INTO');
      this.#take('TABLE');
      const table = this.#target(ends.insertedTable);
      const parts: (Clause | Query)[] = [this.#clause('INTO', first, table, modifiers)];
      if (this.#word() === '(' && !this.#opensQuery()) parts.push(this.#listInside('COLUMNS'));
      if (this.#take('OVERRIDING')) this.#at += 2;
      const start = this.#at;
      const word = this.#word();
      if (word === 'VALUES' || word === 'VALUE') parts.push(this.#values());
      else if (word === 'SET') parts.push(this.#assignments('SET', 1));
      else if (this.#take('DEFAULT', 'VALUES')) parts.push(this.#clause('VALUES', start, [], ['DEFAULT']));
      else if (queryWords.has(word) || this.#opensQuery()) parts.push(this.#query());
      // MySQL's `VALUES (…) AS new (a, b)`.
      if (this.#word() === 'AS')
        parts.push(
          this.#clause(
            '',
            this.#at,
            this.#opaque(() => this.#startsClause()),
          ),
        );
      if (this.#word() === 'ON' && this.#word(1) === 'CONFLICT') parts.push(this.#conflict());
      if (this.#word() === 'ON' && this.#word(1) === 'DUPLICATE')
        parts.push(this.#assignments('DUPLICATE', 4));
      return [...parts, ...this.#clauses()];
    });
  }

  /** ON CONFLICT (…) DO UPDATE SET … WHERE … */
  #conflict(): Clause {
    const first = this.#at;
    this.#at += 2;
    const target = this.#word() === '(' ? [this.#parentheses()] : [];
    if (this.#take('ON', 'CONSTRAINT')) this.#at += 1;
    const condition = this.#word() === 'WHERE' ? [this.#condition('WHERE')] : [];
    const isUpdate = this.#take('DO', 'UPDATE');
    if (!isUpdate) this.#take('DO', 'NOTHING');
    const changes = isUpdate && this.#word() === 'SET' ? [this.#assignments('SET', 1)] : [];
    const where = this.#word() === 'WHERE' ? [this.#condition('WHERE')] : [];
    const children = [...target, ...condition, ...changes, ...where];
    return this.#clause('CONFLICT', first, children, isUpdate ? ['UPDATE'] : []);
  }

  #update(): Clause[] {
    const first = this.#at;
    this.#at += 1;
    const modifiers = this.#takeAll(changeModifiers);
    const tables = this.#until(ends.updatedTables, () => this.#list(() => this.#fromItem()));
    const clause = this.#clause('UPDATE', first, tables, modifiers);
    const set = this.#word() === 'SET' ? [this.#assignments('SET', 1)] : [];
    return [clause, ...set, ...this.#clauses()];
  }

  #delete(): Clause[] {
    const first = this.#at;
    this.#at += 1;
    const modifiers = this.#takeAll(changeModifiers);
    this.#stops = ends.deletedTables;
    // `DELETE a, b FROM a JOIN b`: tables before FROM are changed, tables after FROM are read.
    const named = this.#word() === 'FROM' ? [] : this.#list(() => this.#fromItem());
    const target = this.#clause('DELETE', first, named, modifiers);
    const from = this.#at;
    const behind = this.#take('FROM') ? this.#list(() => this.#fromItem()) : [];
    const parts =
      named.length === 0
        ? [this.#clause('DELETE', first, behind, modifiers)]
        : [target, ...(this.#at === from ? [] : [this.#clause('FROM', from, behind)])];
    this.#stops = none;
    const using = this.#word() === 'USING' ? [this.#listClause('USING', () => this.#fromItem())] : [];
    return [...parts, ...using, ...this.#clauses()];
  }

  #merge(): Clause[] {
    const first = this.#at;
    this.#at += 1;
    this.#take('INTO');
    const parts = [this.#clause('INTO', first, this.#target())];
    if (this.#word() === 'USING') parts.push(this.#listClause('USING', () => this.#fromItem()));
    this.#stops = ends.branch;
    if (this.#word() === 'ON') parts.push(this.#condition('ON'));
    while (this.#word() === 'WHEN') parts.push(this.#branch());
    this.#stops = none;
    return [...parts, ...this.#clauses()];
  }

  /** WHEN MATCHED AND … THEN UPDATE SET … */
  #branch(): Clause {
    const first = this.#at;
    this.#at += 1;
    const modifiers = this.#takeAll(modifiersOf.branch);
    const children: SqlNode[] = this.#take('AND') ? this.#whole(this.#expression()) : [];
    this.#take('THEN');
    modifiers.push(this.#word());
    this.#at += 1;
    if (this.#word() === 'SET') children.push(this.#assignments('SET', 1));
    if (this.#word() === '(') children.push(this.#listInside('COLUMNS'));
    if (this.#take('OVERRIDING')) this.#at += 2;
    if (this.#word() === 'VALUES') children.push(this.#values());
    children.push(...(this.#startsClause() ? [] : this.#opaque(() => this.#startsClause())));
    return this.#clause('WHEN', first, children, modifiers);
  }

  /** Any other statement: only its expressions and nested queries are parsed. */
  #other(): Query {
    const verb = this.#kind() === 'word' ? this.#word() : '';
    return this.#statement(verb, (first) => {
      // SQL that begins with a call is the content of an executable comment.
      const isCall = this.#word(1) === '(' && !explaining.has(verb);
      if (verb !== '' && !isCall) this.#at += 1;
      const isQuery = (): boolean => {
        const [before, word] = [this.items[this.#at - 1]?.word ?? '', this.#word()];
        if (explaining.has(verb)) return queryWords.has(word) || dataVerbs.has(word);
        if (verb === 'DECLARE') return before === 'FOR' && this.#beginsStatement();
        if (verb !== 'CREATE' && verb !== 'PREPARE') return false;
        return before === 'AS' && this.#beginsStatement();
      };
      const rest = isQuery() ? [] : this.#opaque(isQuery);
      const clause = this.#clause('', first, rest);
      return isQuery() ? [clause, this.#query()] : [clause];
    });
  }

  /* ---- Clauses ---- */

  /** The clauses that follow, in any order: those in `wanted`, or all clauses. */
  #clauses(wanted?: ReadonlySet<string>): Clause[] {
    const found: Clause[] = [];
    for (;;) {
      const word = this.#word();
      if (!this.#startsClause() || setOperators.has(word) || this.#stops.has(word)) return found;
      if (wanted !== undefined && !wanted.has(word)) return found;
      const clause = this.#nextClause(word);
      if (clause === undefined) return found;
      found.push(clause);
    }
  }

  #nextClause(word: string): Clause | undefined {
    switch (word) {
      case 'FROM':
        return this.#listClause(word, () => this.#fromItem());
      case 'WHERE':
      case 'HAVING':
        return this.#condition(word);
      case 'GROUP':
        return this.#groupBy();
      case 'ORDER':
        return this.#listClause(word, () => this.#sortKey());
      case 'LIMIT':
      case 'OFFSET':
      case 'FETCH':
        return this.#limit(word);
      case 'RETURNING':
        return this.#returning();
      case 'WINDOW':
        return this.#listClause(word, () => this.#window());
      case 'FOR':
      case 'LOCK':
      case 'INTO':
      case 'PROCEDURE':
        return this.#words(word);
      default:
        return undefined;
    }
  }

  #listClause(name: string, element: () => SqlNode | undefined): Clause {
    const first = this.#at;
    this.#at += 1;
    if (name === 'ORDER' || name === 'PARTITION') this.#take('BY');
    return this.#clause(name, first, this.#list(element));
  }

  #returning(): Clause {
    const first = this.#at;
    this.#at += 1;
    // `RETURNING WITH (OLD AS o) o.name`
    const modifiers = this.#word(1) === '(' && this.#take('WITH') ? ['WITH'] : [];
    if (modifiers.length > 0) this.#skip();
    const columns = this.#list(() => this.#column());
    return this.#clause('RETURNING', first, columns, modifiers);
  }

  #condition(name: string): Clause {
    const first = this.#at;
    this.#at += 1;
    const condition = this.#expression();
    // After the ON of a join, further tables can follow.
    if (name !== 'ON') return this.#clause(name, first, this.#whole(condition));
    return this.#clause(name, first, [...(condition === undefined ? [] : [condition]), ...this.#leftover()]);
  }

  /** The expression, followed by any unparsed SQL as an opaque node, including commas. */
  #whole(expression: SqlNode | undefined): SqlNode[] {
    const found = expression === undefined ? [] : [expression];
    if (this.#isAtEnd() || this.#startsClause()) return found;
    return [...found, ...this.#opaque(() => this.#startsClause())];
  }

  #groupBy(): Clause {
    const first = this.#at;
    this.#at += this.#word(1) === 'BY' ? 2 : 1;
    const elements = this.#until(ends.groups, () =>
      this.#list(() => {
        if (this.#word() === 'GROUPING' && this.#word(1) === 'SETS') this.#at += 1;
        return this.#sortKey();
      }),
    );
    const modifiers = this.#take('WITH', 'ROLLUP') ? ['ROLLUP'] : [];
    return this.#clause('GROUP', first, elements, modifiers);
  }

  #sortKey(): SqlNode | undefined {
    const first = this.#at;
    const value = this.#expression();
    if (value === undefined) return undefined;
    if (!this.#take('ASC')) this.#take('DESC');
    if (this.#take('USING'))
      this.#at = operatorAt(this.items, this.#at, this.#end, this.dialect)?.next ?? this.#at;
    if (this.#take('NULLS')) this.#at += 1;
    return { kind: 'sort-key', value, first, last: this.#at - 1, children: [value] };
  }

  /** LIMIT, OFFSET or FETCH with its numbers. */
  #limit(name: string): Clause {
    const first = this.#at;
    this.#at += 1;
    const modifiers = this.#takeAll(modifiersOf.limit);
    const numbers: SqlNode[] = [];
    do {
      const isWord = /^(?:ROWS?|ONLY)$/.test(this.#word());
      const number = isWord ? undefined : this.#expression();
      if (number !== undefined) numbers.push(number);
    } while (this.#take(','));
    modifiers.push(...this.#takeAll(modifiersOf.behindLimit));
    if (numbers.length > 0) this.#limitEnd = this.#at;
    return this.#clause(
      name,
      first,
      [...numbers, ...(this.#isBoundary() ? [] : this.#opaque(() => this.#isBoundary()))],
      modifiers,
    );
  }

  /** INTO and locking clauses: words, names and variables. */
  #words(name: string): Clause {
    const first = this.#at;
    this.#at += 1;
    const modifiers = this.#takeAll(modifiersOf.lock);
    const targets = this.#until(ends.locked, () => this.#list(() => this.#expression()));
    modifiers.push(...this.#takeAll(modifiersOf.behindLock));
    return this.#clause(name, first, targets, modifiers);
  }

  /** `a = 1, (b, c) = (1, 2)` */
  #assignments(name: string, words: number): Clause {
    const first = this.#at;
    this.#at += words;
    return this.#clause(
      name,
      first,
      this.#until(none, () => this.#list(() => this.#assignment())),
    );
  }

  #assignment(): SqlNode | undefined {
    const first = this.#at;
    const target = this.#expression(precedence(this.dialect, '=') + 1);
    if (target === undefined) return undefined;
    const targets = target.kind === 'parentheses' ? target.elements : [target];
    if (!this.#take('=') && !this.#take(':=')) return target;
    const value = this.#expression();
    const children = value === undefined ? [target] : [target, value];
    return { kind: 'assignment', targets, value, first, last: this.#at - 1, children };
  }

  #column(): Column | undefined {
    const first = this.#at;
    const value = this.#expression();
    if (value === undefined) return undefined;
    const alias = value.kind === 'star' ? undefined : this.#columnAlias();
    return { kind: 'column', value, alias, first, last: this.#at - 1, children: [value] };
  }

  #columnAlias(): number | undefined {
    const isText = this.dialect === 'mysql' && this.#kind() === 'literal';
    if (this.#take('AS')) {
      const kind = this.#kind();
      if (kind === 'word' || kind === 'quoted-name' || kind === 'literal') return this.#at++;
      return undefined;
    }
    const isWord =
      this.#kind() === 'word' && !notBareLabels[this.dialect].has(this.#word()) && !this.#startsClause();
    return isWord || this.#kind() === 'quoted-name' || isText ? this.#at++ : undefined;
  }

  /* ---- FROM ---- */

  #fromItem(): SqlNode | undefined {
    return this.#until(this.#stopsWith(joinWords), () => {
      let left = this.#source();
      while (left !== undefined && this.#joinType() !== undefined) left = this.#join(left);
      return left;
    });
  }

  #joinType(): 'INNER' | 'LEFT' | 'RIGHT' | 'FULL' | 'CROSS' | undefined {
    const at = this.#word() === 'NATURAL' ? 1 : 0;
    const word = this.#word(at);
    if (word === 'JOIN' || word === 'STRAIGHT_JOIN') return 'INNER';
    const next = this.#word(at + 1);
    const isJoin = next === 'JOIN' || (next === 'OUTER' && this.#word(at + 2) === 'JOIN');
    return isJoin &&
      (word === 'INNER' || word === 'LEFT' || word === 'RIGHT' || word === 'FULL' || word === 'CROSS')
      ? word
      : undefined;
  }

  #join(left: SqlNode): SqlNode {
    const type = this.#joinType() ?? 'INNER';
    const isNatural = this.#take('NATURAL');
    while (/^(?:INNER|LEFT|RIGHT|FULL|CROSS|OUTER)$/.test(this.#word())) this.#at += 1;
    this.#at += 1;
    let right = this.#source();
    // `a LEFT JOIN b JOIN c ON … ON …`
    this.#depth += 1;
    while (
      right !== undefined &&
      type !== 'CROSS' &&
      !isNatural &&
      this.#joinType() !== undefined &&
      this.#depth < deepest
    )
      right = this.#join(right);
    this.#depth -= 1;
    const condition = this.#word() === 'ON' ? this.#condition('ON') : this.#using();
    const children = [
      left,
      ...(right === undefined ? [] : [right]),
      ...(condition === undefined ? [] : [condition]),
    ];
    const span = { first: left.first, last: this.#at - 1 };
    if (right === undefined) return { kind: 'opaque', ...span, children };
    return { kind: 'join', type, isNatural, left, right, condition, ...span, children };
  }

  #using(): Clause | undefined {
    const first = this.#at;
    if (this.#word() !== 'USING' || this.#word(1) !== '(') return undefined;
    this.#at += 1;
    const columns = this.#inside(() => this.#list(() => this.#expression()));
    if (this.#take('AS')) this.#at += 1;
    return this.#clause('USING', first, columns);
  }

  /** A table, function, query or parenthesized join. */
  #source(): SqlNode | undefined {
    const first = this.#at;
    const isLateral = (this.dialect === 'postgresql' || this.#word(1) === '(') && this.#take('LATERAL');
    if (this.#word() === '(') {
      if (this.#opensQuery()) return this.#derived(first, this.#prefix(), isLateral);
      const elements = this.#inside(() => this.#list(() => this.#fromItem()));
      const node: SqlNode = { kind: 'parentheses', elements, first, last: this.#at - 1, children: elements };
      return this.#isAlias() ? this.#derived(first, node, isLateral) : node;
    }
    if (this.#word() === 'ROWS' && this.#word(1) === 'FROM' && this.#word(2) === '(') {
      this.#at += 2;
      return this.#derived(first, this.#prefix(), isLateral);
    }
    return this.#functionOrTable(first, isLateral);
  }

  #functionOrTable(first: number, isLateral: boolean): SqlNode | undefined {
    const isOnly = this.dialect === 'postgresql' && this.#take('ONLY');
    if (isOnly && this.#word() === '(') {
      const [table] = this.#inside(() => this.#target());
      return table;
    }
    let at = this.#at;
    while (this.#isNameAt(at) && this.items[at + 1]?.word === '.') at += 2;
    const isCall = this.#isNameAt(at, true) && at + 1 < this.#end && this.items[at + 1]?.word === '(';
    if (isCall) return this.#derived(first, this.#prefix(), isLateral);
    // `FROM current_date`
    const isValue = constantWords.has(this.#word()) && reservedWords[this.dialect].has(this.#word());
    return isValue ? this.#derived(first, this.#prefix(), isLateral) : this.#table(first);
  }

  #derived(first: number, source: SqlNode | undefined, isLateral: boolean): SqlNode | undefined {
    if (source === undefined) return undefined;
    this.#take('WITH', 'ORDINALITY');
    const alias = this.#alias();
    return { kind: 'derived', source, isLateral, alias, first, last: this.#at - 1, children: [source] };
  }

  /** The changed table; `stops` are words that cannot be its alias. */
  #target(stops: ReadonlySet<string> = none): SqlNode[] {
    const first = this.#at;
    const table = this.#until(this.#stopsWith(stops), () => {
      if (this.dialect === 'postgresql') this.#take('ONLY');
      return this.#table(first, stops.size === 0);
    });
    return table === undefined ? [] : [table];
  }

  #table(first: number, takesAlias = true): Table | undefined {
    const name = this.#name();
    if (name === undefined) return undefined;
    this.#take('*');
    const extras: SqlNode[] = [];
    const isExtra = (): boolean =>
      (this.#word() === 'PARTITION' && this.#word(1) === '(') ||
      (this.#word() === 'TABLESAMPLE' && this.dialect === 'postgresql') ||
      (/^(?:USE|IGNORE|FORCE)$/.test(this.#word()) && /^(?:INDEX|KEY)$/.test(this.#word(1)));
    const takeExtras = (): void => {
      for (;;)
        if (this.#word() === 'FOR' && /^(?:SYSTEM_TIME|PORTION)$/.test(this.#word(1)))
          extras.push(this.#period());
        else if (isExtra())
          extras.push(
            ...this.#opaque(() => this.#isBoundary() || this.#word() === 'AS' || this.#endsExtra()),
          );
        else return;
    };
    takeExtras();
    const isNamed = takesAlias || this.#word() === 'AS';
    const alias = isNamed ? this.#alias() : undefined;
    takeExtras();
    return { kind: 'table', name, alias, first, last: this.#at - 1, children: [name, ...extras] };
  }

  /** `FOR SYSTEM_TIME AS OF …`, `FOR SYSTEM_TIME BETWEEN … AND …`, `FOR PORTION OF p FROM … TO …` */
  #period(): SqlNode {
    const first = this.#at;
    const children: SqlNode[] = [];
    this.#at += 2;
    if (this.items[this.#at - 1]?.word === 'PORTION') this.#at += 2;
    if (!this.#take('ALL')) {
      this.#take('AS');
      this.#at += 1;
      const isPair = this.items[this.#at - 1]?.word !== 'OF';
      for (let bound = 0; bound < (isPair ? 2 : 1) && !this.#isAtEnd(); bound += 1) {
        if (bound === 1) this.#at += 1;
        this.#takeAll(modifiersOf.period);
        const value = this.#expression(precedence(this.dialect, 'AND') + 1);
        if (value !== undefined) children.push(value);
      }
    }
    return { kind: 'opaque', first, last: this.#at - 1, children };
  }

  /** Whether the parentheses of a hint or sample are complete, so that an alias can follow. */
  #endsExtra(): boolean {
    return this.items[this.#at - 1]?.word === ')' && !/^(?:REPEATABLE|USE|IGNORE|FORCE)$/.test(this.#word());
  }

  #isAlias(): boolean {
    return this.#word() === 'AS' || (this.#isName() && !this.#startsClause());
  }

  /** `[AS] name (columns)` */
  #alias(): number | undefined {
    if (!this.#isAlias()) return undefined;
    this.#take('AS');
    const alias = this.#kind() === 'word' || this.#kind() === 'quoted-name' ? this.#at++ : undefined;
    if (this.#word() === '(' && !this.#opensQuery()) this.#skip();
    return alias;
  }

  #window(): SqlNode | undefined {
    const first = this.#at;
    this.#at += 1;
    this.#take('AS');
    const children = this.#word() === '(' ? this.#windowParts() : [];
    return { kind: 'opaque', first, last: this.#at - 1, children };
  }

  /** PARTITION BY, ORDER BY and the frame inside the parentheses at this position; also `(WHERE …)` of FILTER. */
  #windowParts(): SqlNode[] {
    return this.#inside(() => {
      this.#stops = ends.windowPart;
      const found: SqlNode[] = [];
      if (this.#isName() && !this.#startsClause()) this.#at += 1;
      if (this.#word() === 'PARTITION') found.push(this.#listClause('PARTITION', () => this.#expression()));
      if (this.#word() === 'ORDER') found.push(this.#listClause('ORDER', () => this.#sortKey()));
      if (this.#word() === 'WHERE') found.push(this.#condition('WHERE'));
      if (this.#stops.has(this.#word()))
        found.push(
          this.#clause(
            'FRAME',
            this.#at,
            this.#opaque(() => false),
          ),
        );
      return found;
    });
  }

  /* ---- Names ---- */

  #isName(): boolean {
    return this.#isNameAt(this.#at);
  }

  #isNameAt(index: number, isCalled = false): boolean {
    const item = index < this.#end ? this.items[index] : undefined;
    if (item?.token.kind === 'quoted-name') return true;
    if (item?.token.kind !== 'word') return false;
    return (
      !reservedWords[this.dialect].has(item.word) || (isCalled && callableWords[this.dialect].has(item.word))
    );
  }

  /** A name with its qualifiers. After a qualifier's dot, any word is a name. */
  #name(): Name | undefined {
    const first = this.#at;
    if (!this.#isName()) return undefined;
    const parts = [this.#at++];
    while (this.#word() === '.' && isNamePart(this.#item(1))) {
      parts.push(this.#at + 1);
      this.#at += 2;
    }
    return { kind: 'name', parts, first, last: this.#at - 1, children: [] };
  }

  #type(): Type | undefined {
    const first = this.#at;
    const words: string[] = [];
    if (this.#kind() !== 'word' && this.#kind() !== 'quoted-name') return undefined;
    do {
      words.push(this.#word() === '' ? (this.#item()?.token.text ?? '') : this.#word());
      this.#at += 1;
      while (this.#word() === '.' && this.#at + 1 < this.#end) {
        words.push(`.${this.#item(1)?.token.text ?? ''}`);
        this.#at += 2;
      }
    } while (typeSequels[words.at(-1) ?? '']?.has(this.#word()) === true);
    const lengths = this.#word() === '(' ? this.#inside(() => this.#list(() => this.#expression())) : [];
    const zone = this.#word();
    if ((zone === 'WITH' || zone === 'WITHOUT') && this.#word(1) === 'TIME' && this.#word(2) === 'ZONE') {
      words.push(zone, 'TIME', 'ZONE');
      this.#at += 3;
    }
    // `CHAR(3) CHARACTER SET utf8mb4`
    if (this.dialect === 'mysql' && this.#take('CHARACTER', 'SET')) this.#at += 1;
    const isArray = this.#word() === '[' || this.#word() === 'ARRAY';
    this.#take('ARRAY');
    while (this.#word() === '[') lengths.push(...this.#inside(() => this.#list(() => this.#expression())));
    return {
      kind: 'type',
      name: words.join(' ').replaceAll(' .', '.'),
      isArray,
      first,
      last: this.#at - 1,
      children: lengths,
    };
  }

  /** Whether the parentheses at this position enclose a query, directly or in nested parentheses. */
  #opensQuery(): boolean {
    let at = this.#at;
    while (at < this.#end && this.items[at]?.word === '(') at += 1;
    if (at === this.#at || at >= this.#end) return false;
    const [word, next] = [this.items[at]?.word ?? '', this.items[at + 1]];
    if (word === 'SELECT' || word === 'WITH') return true;
    // These keywords can also be names: `(values)`, `(table)`, `(update)`.
    if (word === 'VALUES') return next?.word === '(' || next?.word === 'ROW';
    if (word === 'TABLE') return isNamePart(next);
    if (word === 'INSERT' || word === 'REPLACE' || word === 'MERGE') return next?.word === 'INTO';
    if (word === 'DELETE') return next?.word === 'FROM';
    return word === 'UPDATE' && isNamePart(next);
  }

  /* ---- Expressions ---- */

  #expression(min = 0): SqlNode | undefined {
    if (this.#depth > deepest) return undefined;
    this.#depth += 1;
    let left = this.#prefix();
    while (left !== undefined) {
      const infix = infixAt(this.items, this.#at, this.#end, this.dialect);
      if (infix === undefined || infix.precedence < min) break;
      const next = this.#infix(left, infix);
      if (next === undefined) break;
      left = next;
    }
    this.#depth -= 1;
    return left;
  }

  #operation(
    operator: string,
    operatorItem: number,
    operands: readonly SqlNode[],
    isPrefix = false,
  ): SqlNode {
    const first = isPrefix ? operatorItem : (operands[0]?.first ?? operatorItem);
    return {
      kind: 'operation',
      operator,
      operatorItem,
      operands,
      isPrefix,
      first,
      last: this.#at - 1,
      children: operands,
    };
  }

  /** Parses the operator and its right operand; undefined if the word turns out not to be an operator. */
  #infix(left: SqlNode, { operator, next, form, precedence: rank }: Infix): SqlNode | undefined {
    const at = this.#at;
    switch (form) {
      case 'cast': {
        this.#at = next;
        const type = this.#type();
        if (type === undefined) return this.#operation(operator, at, [left]);
        return {
          kind: 'cast',
          value: left,
          type,
          isFunction: false,
          first: left.first,
          last: this.#at - 1,
          children: [left, type],
        };
      }
      case 'subscript': {
        const inner = this.#inside(() => this.#list(() => this.#slice()));
        return {
          kind: 'access',
          value: left,
          first: left.first,
          last: this.#at - 1,
          children: [left, ...inner],
        };
      }
      case 'field': {
        const isAll = this.#word(1) === '*';
        this.#at += 2;
        const node = { first: left.first, last: this.#at - 1, children: [left] };
        return isAll ? { kind: 'star', ...node } : { kind: 'access', value: left, ...node };
      }
      case 'postfix':
        this.#at = next;
        return this.#operation(operator, at, [left]);
      case 'between': {
        this.#at = next;
        const low = this.#expression(rank + 1);
        if (low === undefined) this.#at = at;
        if (low === undefined) return undefined;
        const high = this.#take('AND') ? this.#expression(rank + 1) : undefined;
        return this.#operation(
          operator,
          at,
          [left, low, high].filter((operand) => operand !== undefined),
        );
      }
      case 'chain': {
        const operands = [left];
        for (
          let more: Infix | undefined = { operator, next, form, precedence: rank };
          more?.operator === operator;
        ) {
          const start = this.#at;
          this.#at = more.next;
          const operand = this.#expression(rank + 1);
          if (operand === undefined) {
            this.#at = start;
            break;
          }
          operands.push(operand);
          more = infixAt(this.items, this.#at, this.#end, this.dialect);
        }
        return operands.length === 1 ? undefined : this.#operation(operator, at, operands);
      }
      case 'infix': {
        this.#at = next;
        // A cast after `= ANY (…)` and `IN (…)` applies to the whole comparison.
        const isWhole = /(?:^| )IN$/.test(operator) || quantifiers.has(this.#word());
        const right = isWhole && this.#opensList() ? this.#prefix() : this.#expression(rank + 1);
        // The word is an alias after all: `SELECT id and, title`.
        if (right === undefined) this.#at = at;
        if (right === undefined) return undefined;
        const escape =
          /LIKE$|TO$/.test(operator) && this.#take('ESCAPE') ? this.#expression(rank + 1) : undefined;
        return this.#operation(
          operator,
          at,
          [left, right, escape].filter((operand) => operand !== undefined),
        );
      }
    }
  }

  /** `(…)`, `ANY (…)` */
  #opensList(): boolean {
    return this.#word() === '(' || this.#word(1) === '(';
  }

  /** `1`, `1:2`, `:2` */
  #slice(): SqlNode | undefined {
    const from = this.#word() === ':' ? undefined : this.#expression();
    if (!this.#take(':')) return from;
    const first = from?.first ?? this.#at - 1;
    const to = this.#expression();
    const children = [from, to].filter((end) => end !== undefined);
    return { kind: 'opaque', first, last: this.#at - 1, children };
  }

  #prefix(): SqlNode | undefined {
    const item = this.#item();
    if (item === undefined) return undefined;
    const first = this.#at;
    switch (item.token.kind) {
      case 'placeholder':
        return this.#placeholder();
      case 'number':
        this.#at += 1;
        // `1a` is a name in MySQL.
        if (
          this.dialect === 'mysql' &&
          this.#kind() === 'word' &&
          this.#item()?.token.start === item.token.end
        ) {
          this.#at += 1;
          return { kind: 'name', parts: [first], first, last: this.#at - 1, children: [] };
        }
        return { kind: 'number', first, last: this.#at - 1, children: [] };
      case 'literal':
        // Adjacent strings are one string.
        while (this.#kind() === 'literal') this.#at += 1;
        return { kind: 'string', first, last: this.#at - 1, children: [] };
      case 'positional':
        this.#at += 1;
        return { kind: 'opaque', first, last: this.#at - 1, children: [] };
      case 'quoted-name':
        return this.#nameOrCall();
      case 'word':
        return this.#wordPrefix(item.word);
      default:
        return this.#signPrefix(item.word);
    }
  }

  #placeholder(): SqlNode | undefined {
    const token = this.#item()?.token;
    if (token?.kind !== 'placeholder') return undefined;
    const first = this.#at++;
    return { kind: 'placeholder', expression: token.expression, first, last: this.#at - 1, children: [] };
  }

  #signPrefix(word: string): SqlNode | undefined {
    const first = this.#at;
    if (word === '(') return this.#parentheses();
    if (word === '*') {
      this.#at += 1;
      return { kind: 'star', first, last: this.#at - 1, children: [] };
    }
    if (word === '@' && this.dialect === 'mysql') return this.#variable();
    const operator = operatorAt(this.items, first, this.#end, this.dialect);
    if (operator === undefined || /^[=<>,*/]/.test(operator.text)) return undefined;
    this.#at = operator.next;
    const operand = this.#expression(precedence(this.dialect, `prefix ${operator.text}`));
    return operand === undefined ? undefined : this.#operation(operator.text, first, [operand], true);
  }

  #parentheses(): SqlNode {
    const first = this.#at;
    if (this.#opensQuery()) {
      const children = this.#inside(() => [this.#wholeQuery()]);
      const [body] = children;
      if (body?.kind === 'query') return { kind: 'subquery', body, first, last: this.#at - 1, children };
      return { kind: 'opaque', first, last: this.#at - 1, children };
    }
    const elements = this.#inside(() => this.#list(() => this.#expression()));
    return { kind: 'parentheses', elements, first, last: this.#at - 1, children: elements };
  }

  /** `@a`, `@'a'`, `@@global.b` */
  #variable(): SqlNode {
    const first = this.#at;
    while (this.#word() === '@') this.#at += 1;
    const isPart = (): boolean => /^(?:word|quoted-name|literal)$/.test(this.#kind() ?? '');
    if (isPart()) this.#at += 1;
    while (this.#word() === '.' && this.#at + 1 < this.#end) this.#at += 2;
    return { kind: 'variable', first, last: this.#at - 1, children: [] };
  }

  #wordPrefix(word: string): SqlNode | undefined {
    const first = this.#at;
    const next = this.#word(1);
    const isCalled = next === '(';
    if (next !== '.') {
      if (word === 'CASE') return this.#case();
      if (word === 'NOT') {
        this.#at += 1;
        const operand = this.#expression(precedence(this.dialect, 'NOT'));
        return operand === undefined ? undefined : this.#operation('NOT', first, [operand], true);
      }
      if (word === 'BINARY' && this.dialect === 'mysql' && !isCalled) {
        this.#at += 1;
        const operand = this.#expression(precedence(this.dialect, 'prefix -'));
        return operand === undefined ? undefined : this.#operation('BINARY', first, [operand], true);
      }
      const qualified =
        word === 'OPERATOR' ? infixAt(this.items, this.#at, this.#end, this.dialect) : undefined;
      if (qualified !== undefined && operatorAt(this.items, qualified.next - 2, this.#end, this.dialect)) {
        this.#at = qualified.next;
        const operand = this.#expression(qualified.precedence);
        return operand === undefined
          ? undefined
          : this.#operation(qualified.operator, first, [operand], true);
      }
      if (word === 'EXISTS' && isCalled) {
        this.#at += 1;
        return this.#operation('EXISTS', first, [this.#parentheses()], true);
      }
      if (word === 'ARRAY' && next === '[') {
        this.#at += 1;
        return this.#array(first);
      }
      if (word === 'INTERVAL' && this.dialect === 'mysql') return this.#interval() ?? this.#nameOrCall();
      if (next === 'VALUE' && this.#word(2) === 'FOR' && (word === 'NEXT' || word === 'PREVIOUS')) {
        this.#at += 3;
        const sequence = this.#name();
        return this.#operation(`${word} VALUE FOR`, first, sequence === undefined ? [] : [sequence], true);
      }
      const typed = this.#typed();
      if (typed !== undefined) return typed;
      if (
        constantWords.has(word) &&
        !isCalled &&
        (reservedWords[this.dialect].has(word) || word === 'NULL')
      ) {
        this.#at += 1;
        return { kind: 'word', first, last: this.#at - 1, children: [] };
      }
    }
    return this.#nameOrCall();
  }

  #array(first: number): SqlNode {
    const elements = this.#inside(() =>
      this.#list(() => (this.#word() === '[' ? this.#array(this.#at) : this.#expression())),
    );
    return { kind: 'array', elements, first, last: this.#at - 1, children: elements };
  }

  /** MySQL's `INTERVAL 1 DAY`; undefined for a call of the INTERVAL function. */
  #interval(): SqlNode | undefined {
    const first = this.#at;
    this.#at += 1;
    const value = this.#expression();
    if (value === undefined || !units.has(this.#word())) {
      this.#at = first;
      return undefined;
    }
    const start = this.#at++;
    const type: Type = {
      kind: 'type',
      name: 'INTERVAL',
      isArray: false,
      first: start,
      last: this.#at - 1,
      children: [],
    };
    return { kind: 'typed', type, value, first, last: this.#at - 1, children: [value, type] };
  }

  /** A string preceded by its type; undefined for anything else. */
  #typed(): SqlNode | undefined {
    const first = this.#at;
    const word = this.#word();
    const isPhrase = phraseTypes.has(word) || typeSequels[word] !== undefined;
    if (!isPhrase && this.#kind(1) !== 'literal' && this.#word(1) !== '.') return undefined;
    const isPossible =
      this.dialect === 'postgresql'
        ? !reservedWords.postgresql.has(word)
        : /^(?:DATE|TIME|TIMESTAMP|[NXB]|_\w+)$/.test(word);
    if (!isPossible) return undefined;
    const type = this.#type();
    const start = this.#at;
    if (type === undefined || this.#kind() !== 'literal') {
      this.#at = first;
      return undefined;
    }
    while (this.#kind() === 'literal') this.#at += 1;
    const value: SqlNode = { kind: 'string', first: start, last: this.#at - 1, children: [] };
    if (type.name === 'INTERVAL' && units.has(this.#word())) {
      this.#at += 1;
      if (this.#take('TO')) this.#at += 1;
      if (this.#word() === '(') this.#skip();
    }
    return { kind: 'typed', type, value, first, last: this.#at - 1, children: [type, value] };
  }

  #case(): SqlNode {
    const first = this.#at;
    const outer = this.#stops;
    this.#at += 1;
    this.#stops = ends.caseValue;
    const part = (): SqlNode[] => this.#whole(this.#expression());
    const children = this.#word() === 'WHEN' ? [] : part();
    const [operand] = children;
    const conditions: SqlNode[] = [];
    const values: SqlNode[] = [];
    for (;;) {
      const list = this.#word() === 'WHEN' ? conditions : values;
      if (!/^(?:WHEN|THEN|ELSE)$/.test(this.#word())) break;
      this.#at += 1;
      const [one, ...rest] = part();
      if (one !== undefined) list.push(one);
      children.push(...(one === undefined ? [] : [one]), ...rest);
    }
    this.#take('END');
    this.#stops = outer;
    return { kind: 'case', operand, conditions, values, first, last: this.#at - 1, children };
  }

  #nameOrCall(): SqlNode | undefined {
    const first = this.#at;
    let at = first;
    while (isNamePart(this.items[at]) && this.items[at + 1]?.word === '.') at += 2;
    const isCall =
      at + 1 < this.#end && this.items[at + 1]?.word === '(' && (at > first || this.#isNameAt(at, true));
    if (!isCall) return this.#nameOrStar();
    const parts = [...Array((at - first) / 2 + 1).keys()].map((index) => first + index * 2);
    this.#at = at + 1;
    const name: Name = { kind: 'name', parts, first, last: at, children: [] };
    return this.#against(this.#call(name));
  }

  /** MySQL's `MATCH (…) AGAINST (…)`, represented as an operation with two calls. */
  #against(match: SqlNode): SqlNode {
    if (this.dialect !== 'mysql' || this.#word() !== 'AGAINST' || this.#word(1) !== '(') return match;
    const operatorItem = this.#at;
    this.#at += 1;
    const parts = [operatorItem];
    const name: Name = { kind: 'name', parts, first: operatorItem, last: operatorItem, children: [] };
    const operands = [match, this.#call(name)];
    const span = { first: match.first, last: this.#at - 1, children: operands };
    return { kind: 'operation', operator: 'AGAINST', operatorItem, isPrefix: false, operands, ...span };
  }

  #nameOrStar(): SqlNode | undefined {
    const first = this.#at;
    const name = this.#name();
    if (name === undefined || this.#word() !== '.' || this.#word(1) !== '*') return name;
    this.#at += 2;
    return { kind: 'star', first, last: this.#at - 1, children: [name] };
  }

  #call(name: Name): SqlNode {
    const open = this.#at;
    const called = name.parts.length === 1 ? (this.items[name.first]?.word ?? '') : '';
    const modifiers: string[] = [];
    const list: SqlNode[] = [];
    const separators: string[] = [];
    const clauses: Clause[] = [];
    let cast: Type | undefined;
    const inner = this.#inside(() => {
      modifiers.push(...this.#takeAll(argumentModifiers));
      if (this.#depthOfQuery()) {
        const body = this.#wholeQuery();
        list.push({ kind: 'subquery', body, first: body.first, last: body.last, children: [body] });
        separators.push('');
        return list;
      }
      const parts: SqlNode[] = [];
      let separator = '';
      this.#stops = ends.argument;
      while (!this.#isAtEnd()) {
        // `position(a IN b)`
        const one = this.#expression(called === 'POSITION' ? precedence(this.dialect, 'IN') + 1 : 0);
        if (one !== undefined) {
          list.push(one);
          separators.push(separator);
          parts.push(one);
        }
        const isCast =
          (called === 'CAST' && this.#take('AS')) ||
          (called === 'CONVERT' && this.dialect === 'mysql' && this.#take(','));
        if (isCast) {
          cast = this.#type();
          if (cast !== undefined) parts.push(cast);
        }
        if (this.#word() === 'ORDER') {
          const clause = this.#listClause('ORDER', () => this.#sortKey());
          clauses.push(clause);
          parts.push(clause);
        }
        if (this.#word() === 'SEPARATOR') {
          const clause = this.#listClause('SEPARATOR', () => this.#expression());
          clauses.push(clause);
          parts.push(clause);
        }
        separator = this.#word();
        const isSeparator =
          separator === ',' || argumentWords.has(separator) || (separator === 'IN' && called === 'POSITION');
        if (isSeparator) this.#at += 1;
        else if (!this.#isAtEnd()) parts.push(...this.#opaque(() => this.#word() === ','));
        if (isSeparator) modifiers.push(...this.#takeAll(modifiersOf.argument));
      }
      return parts;
    });
    const [value] = list;
    if (cast !== undefined && value !== undefined)
      return {
        kind: 'cast',
        value,
        type: cast,
        isFunction: true,
        first: name.first,
        last: this.#at - 1,
        children: inner,
      };
    const behind = this.#behindCall();
    clauses.push(...behind);
    return {
      kind: 'call',
      name,
      arguments: list,
      separators,
      modifiers,
      open,
      clauses,
      first: name.first,
      last: this.#at - 1,
      children: [name, ...inner, ...behind],
    };
  }

  /** Whether the parentheses that were just opened enclose a query. */
  #depthOfQuery(): boolean {
    this.#at -= 1;
    const isQuery = this.#opensQuery() && this.#word(1) !== '(';
    this.#at += 1;
    return isQuery;
  }

  /** The clauses after a call: WITHIN GROUP, FILTER and OVER. */
  #behindCall(): Clause[] {
    const found: Clause[] = [];
    const parts = (name: string, words: number): void => {
      const first = this.#at;
      this.#at += words;
      const isOpen = this.#word() === '(';
      const children = isOpen ? this.#windowParts() : [];
      if (!isOpen) this.#at += 1;
      found.push(this.#clause(name, first, children));
    };
    if (this.#word() === 'WITHIN' && this.#word(1) === 'GROUP') parts('WITHIN', 2);
    if (this.#word() === 'FILTER' && this.#word(1) === '(') parts('FILTER', 1);
    if (/^(?:IGNORE|RESPECT)$/.test(this.#word()) && this.#word(1) === 'NULLS') this.#at += 2;
    if (this.#word() === 'OVER') parts('OVER', 1);
    return found;
  }
}

/** The clauses of a SELECT that can precede a set operator, and all clauses of a SELECT. RETURNING belongs to the surrounding INSERT. */
const bodyClauses = wordSet('INTO FROM WHERE GROUP HAVING WINDOW');
const selectClauses = wordSet(
  'INTO FROM WHERE GROUP HAVING WINDOW ORDER LIMIT OFFSET FETCH FOR LOCK PROCEDURE',
);

/** Types that can have a length or time zone between the type name and a string. */
const phraseTypes = wordSet('TIME TIMESTAMP INTERVAL');

/** Words of type names, with the words that can follow. */
const typeSequels: Readonly<Record<string, ReadonlySet<string> | undefined>> = {
  DOUBLE: wordSet('PRECISION'),
  CHARACTER: wordSet('VARYING'),
  CHAR: wordSet('VARYING BYTE'),
  NCHAR: wordSet('VARYING'),
  BIT: wordSet('VARYING'),
  NATIONAL: wordSet('CHARACTER CHAR'),
  SIGNED: wordSet('INTEGER INT'),
  UNSIGNED: wordSet('INTEGER INT'),
};
