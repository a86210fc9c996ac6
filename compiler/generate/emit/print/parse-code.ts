/** Generated code becomes its tree. Code of another shape than the generator writes is unknown. */
import type {
  Arrow,
  Block,
  Code,
  Field,
  Parameter,
  Spaced,
  Statement,
  Template,
  Type,
  TypeField,
} from './code-tree.js';
import { Scanner, UnknownCode } from './code-scanner.js';

export function parseModule(source: string): Statement[] {
  const parser = new Parser(source);
  const statements = parser.statements('');
  if (parser.tokens.kind !== 'end' || parser.tokens.spaced().comments.length > 0) throw new UnknownCode();
  return statements;
}

/** From the loosest to the tightest. */
const precedence: Readonly<Record<string, number>> = {
  '??': 1,
  '||': 2,
  '&&': 3,
  ...{ '==': 4, '!=': 4, '===': 4, '!==': 4 },
  ...{ '<': 5, '>': 5, '<=': 5, '>=': 5 },
  ...{ '+': 6, '-': 6 },
};

export function precedenceOf(operator: string): number {
  return precedence[operator] ?? 0;
}

/** Words at which an expression of another shape begins. */
const others = new Set(['function', 'class', 'typeof', 'void', 'delete', 'yield', 'import', 'super', 'this']);

const arrow = /\(\s*(?:\)|[\w$]+\s*[,:]|[\w$]+\s*\)\s*=>)/y;

class Parser {
  readonly tokens: Scanner;

  constructor(source: string) {
    this.tokens = new Scanner(source);
  }

  statements(end: string): Statement[] {
    const found: Statement[] = [];
    while (this.tokens.kind !== 'end' && !this.tokens.is(end)) found.push(this.#statement());
    return found;
  }

  #block(): Block {
    if (!this.tokens.is('{')) throw new UnknownCode();
    this.tokens.next();
    const statements = this.statements('}');
    this.tokens.expect('}');
    return { kind: 'block', statements };
  }

  #statement(): Statement {
    const { tokens } = this;
    const spaced = tokens.spaced();
    if (tokens.kind !== 'name') return this.#expressionStatement(spaced);
    switch (tokens.text) {
      case 'import':
        return this.#import(spaced);
      case 'export':
        tokens.next();
        return this.#declaration(spaced, true);
      case 'const':
      case 'let':
      case 'type':
      case 'function':
      case 'async':
        return this.#declaration(spaced, false);
      case 'if':
        return this.#if(spaced);
      case 'for':
        return this.#for(spaced);
      case 'return':
      case 'throw': {
        const kind = tokens.text;
        tokens.next();
        if (tokens.isOnNewLine) throw new UnknownCode();
        const value = tokens.is(';') ? undefined : this.#expression();
        tokens.expect(';');
        return { ...spaced, kind, value };
      }
      case 'break':
      case 'continue': {
        const kind = tokens.text;
        tokens.next();
        tokens.expect(';');
        return { ...spaced, kind };
      }
      default:
        return this.#expressionStatement(spaced);
    }
  }

  #expressionStatement(spaced: Spaced): Statement {
    const value = this.#expression();
    // Such a statement would be a block, a directive or more than one thing.
    if (value.kind === 'object' || value.kind === 'text') throw new UnknownCode();
    this.tokens.expect(';');
    return { ...spaced, kind: 'expression', value };
  }

  #import(spaced: Spaced): Statement {
    const { tokens } = this;
    tokens.next();
    const isType = tokens.take('type');
    tokens.expect('{');
    const names: string[] = [];
    while (!tokens.take('}')) {
      const word = tokens.name();
      const name = word === 'type' && tokens.kind === 'name' ? `type ${tokens.name()}` : word;
      names.push(tokens.take('as') ? `${name} as ${tokens.name()}` : name);
      if (!tokens.is('}')) tokens.expect(',');
    }
    tokens.expect('from');
    const from = quoted(tokens.string());
    tokens.expect(';');
    return { ...spaced, kind: 'import', isType, names, from };
  }

  #declaration(spaced: Spaced, isExported: boolean): Statement {
    const { tokens } = this;
    if (tokens.is('const') || tokens.is('let')) {
      const word = tokens.name();
      const target = this.#target();
      const type = tokens.take(':') ? this.#type() : undefined;
      const value = tokens.take('=') ? this.#expression() : undefined;
      tokens.expect(';');
      return { ...spaced, kind: 'variable', isExported, word, target, type, value };
    }
    if (tokens.take('type')) {
      const name = tokens.name();
      tokens.expect('=');
      const type = this.#type();
      tokens.expect(';');
      return { ...spaced, kind: 'type', isExported, name, type };
    }
    const isAsync = tokens.take('async');
    tokens.expect('function');
    const name = tokens.name();
    const parameters = this.#parameters();
    const type = tokens.take(':') ? this.#type() : undefined;
    return { ...spaced, kind: 'function', isExported, isAsync, name, parameters, type, body: this.#block() };
  }

  /** What a value is assigned to: a name, `{ rows, next }`, `[row]`. */
  #target(): Code {
    const target = this.#primary();
    const isSimple =
      target.kind === 'name' ||
      (target.kind === 'list' && target.elements.every(({ kind }) => kind === 'name')) ||
      (target.kind === 'object' &&
        !target.isLong &&
        target.fields.every(({ value }) => value.kind === 'name'));
    if (!isSimple) throw new UnknownCode();
    return target;
  }

  #parameters(): Parameter[] {
    const { tokens } = this;
    const found: Parameter[] = [];
    tokens.expect('(');
    while (!tokens.take(')')) {
      const target = this.#target();
      found.push({ target, type: tokens.take(':') ? this.#type() : undefined });
      if (!tokens.is(')')) tokens.expect(',');
    }
    return found;
  }

  #if(spaced: Spaced): Statement {
    const { tokens } = this;
    tokens.next();
    tokens.expect('(');
    const test = this.#expression();
    tokens.expect(')');
    const then = this.#clause();
    const otherwise = tokens.take('else') ? this.#clause() : undefined;
    return { ...spaced, kind: 'if', test, then, otherwise };
  }

  #clause(): Block | Statement {
    if (this.tokens.is('{')) return this.#block();
    const statement = this.#statement();
    if (statement.comments.length > 0) throw new UnknownCode();
    return statement;
  }

  #for(spaced: Spaced): Statement {
    const { tokens } = this;
    tokens.next();
    const isAwait = tokens.take('await');
    tokens.expect('(');
    tokens.expect('const');
    const target = this.#target();
    tokens.expect('of');
    const list = this.#expression();
    tokens.expect(')');
    return { ...spaced, kind: 'for', isAwait, target, list, body: this.#block() };
  }

  #expression(): Code {
    const { tokens } = this;
    const left = this.#binary(1);
    if (tokens.take('=')) return { kind: 'assignment', left, right: this.#expression() };
    if (!tokens.take('?')) return left;
    const yes = this.#expression();
    tokens.expect(':');
    return { kind: 'choice', test: left, yes, no: this.#expression() };
  }

  #binary(least: number): Code {
    let left = this.#unary();
    for (;;) {
      const { kind, text } = this.tokens;
      const found = kind === 'sign' ? precedenceOf(text) : 0;
      if (found < least || found === 0) return left;
      // `a < b > (c)` may be a call with types.
      if (found === 5 && left.kind === 'binary' && precedenceOf(left.operator) === 5) throw new UnknownCode();
      this.tokens.next();
      left = inRow(text, left, this.#binary(found + 1));
    }
  }

  #unary(): Code {
    const { tokens } = this;
    if (tokens.take('!')) return { kind: 'not', operand: this.#unary() };
    if (tokens.take('-')) return { kind: 'minus', operand: this.#unary() };
    if (tokens.is('await')) {
      tokens.next();
      return { kind: 'await', operand: this.#unary() };
    }
    return this.#chain(this.#primary());
  }

  /** What follows a value: members, calls. */
  #chain(first: Code): Code {
    const { tokens } = this;
    let of = first;
    for (;;) {
      if (tokens.take('.')) of = { kind: 'member', of, name: tokens.name(), isOptional: false };
      else if (tokens.take('?.')) {
        if (tokens.is('[')) of = this.#index(of, true);
        else of = { kind: 'member', of, name: tokens.name(), isOptional: true };
      } else if (tokens.is('[') && !tokens.isOnNewLine) of = this.#index(of, false);
      else if (tokens.kind === 'template') of = { kind: 'tagged', tag: of, template: this.#template() };
      else if (tokens.is('(') || this.#beginsTypes()) of = this.#call(of, false);
      else return of;
    }
  }

  #index(of: Code, isOptional: boolean): Code {
    this.tokens.expect('[');
    const index = this.#expression();
    this.tokens.expect(']');
    return { kind: 'member', of, name: '', index, isOptional };
  }

  /** `<` of a comparison has a space before it. */
  #beginsTypes(): boolean {
    const { tokens } = this;
    return tokens.is('<') && /\S/.test(tokens.source[tokens.start - 1] ?? ' ');
  }

  #call(of: Code, isNew: boolean): Code {
    const types = this.#beginsTypes() ? this.#typeArguments() : [];
    return { kind: 'call', of, types, passed: this.#codes('(', ')'), isNew };
  }

  #codes(open: string, close: string): Code[] {
    const { tokens } = this;
    tokens.expect(open);
    const found: Code[] = [];
    while (!tokens.take(close)) {
      // `[, row]`
      if (open === '[' && tokens.is(',')) found.push({ kind: 'name', text: '' });
      else
        found.push(tokens.take('...') ? { kind: 'spread', operand: this.#expression() } : this.#expression());
      if (!tokens.is(close)) tokens.expect(',');
    }
    return found;
  }

  #primary(): Code {
    const { tokens } = this;
    const { kind, text } = tokens;
    switch (kind) {
      case 'number':
        // Others are written in other ways.
        if (!/^(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/.test(text)) throw new UnknownCode();
        tokens.next();
        return { kind, text };
      case 'text':
        tokens.next();
        return { kind, text: quoted(text) };
      case 'template':
        return this.#template();
      case 'name':
        return this.#named();
      default:
    }
    if (tokens.is('[')) return { kind: 'list', elements: this.#codes('[', ']') };
    if (tokens.is('{')) return this.#object();
    if (!tokens.is('(')) throw new UnknownCode();
    if (tokens.looksLike(arrow)) return this.#arrow(false);
    tokens.next();
    const inside = this.#expression();
    tokens.expect(')');
    // `(a?.b).c` is another thing than `a?.b.c`.
    if (/^(?:\?\.|[.[(`])$/.test(tokens.text) && (inside.kind === 'member' || inside.kind === 'call'))
      throw new UnknownCode();
    return inside;
  }

  #named(): Code {
    const { tokens } = this;
    const text = tokens.name();
    if (text === 'import' && tokens.is('(')) return this.#dynamicImport();
    if (others.has(text)) throw new UnknownCode();
    if (text === 'new') {
      const of: Code = { kind: 'name', text: tokens.name() };
      return this.#call(of, true);
    }
    if (text === 'async' && tokens.is('(')) return this.#arrow(true);
    if (tokens.is('=>')) throw new UnknownCode();
    return { kind: 'name', text };
  }

  #dynamicImport(): Code {
    const { tokens } = this;
    tokens.expect('(');
    const from = quoted(tokens.string());
    tokens.expect(')');
    return { kind: 'import', from };
  }

  #arrow(isAsync: boolean): Arrow {
    const { tokens } = this;
    const parameters = this.#parameters();
    const type = parameters.length === 0 && tokens.take(':') ? this.#type() : undefined;
    tokens.expect('=>');
    const body = tokens.is('{') ? this.#block() : this.#expression();
    return { kind: 'arrow', isAsync, parameters, type, body };
  }

  #template(): Template {
    const { tokens } = this;
    const texts = [tokens.templateText()];
    const values: Code[] = [];
    while (!tokens.endsTemplate()) {
      values.push(this.#expression());
      if (!tokens.is('}')) throw new UnknownCode();
      texts.push(tokens.templateText());
    }
    return { kind: 'template', texts, values };
  }

  #object(): Code {
    const { tokens } = this;
    tokens.next();
    const isLong = tokens.isOnNewLine && !tokens.is('}');
    const fields: Field[] = [];
    while (!tokens.take('}')) {
      fields.push(this.#field());
      if (!tokens.is('}')) tokens.expect(',');
    }
    return { kind: 'object', fields, isLong };
  }

  #field(): Field {
    const { tokens } = this;
    const spaced = tokens.spaced();
    if (tokens.take('...'))
      return { ...spaced, key: undefined, value: { kind: 'spread', operand: this.#expression() } };
    const { kind, text } = tokens;
    if (tokens.take('[')) {
      const key = `[${quoted(tokens.string())}]`;
      tokens.expect(']');
      tokens.expect(':');
      return { ...spaced, key, value: this.#expression() };
    }
    if (kind === 'number') tokens.next();
    else if (kind === 'text') tokens.next();
    else tokens.name();
    if (tokens.take(':')) return { ...spaced, key: keyOf(text), value: this.#expression() };
    if (kind !== 'name' || !(tokens.is(',') || tokens.is('}'))) throw new UnknownCode();
    return { ...spaced, key: undefined, value: { kind: 'name', text } };
  }

  #type(): Type {
    const first = this.#arrayType();
    if (!this.tokens.is('|')) return first;
    const types = [first];
    while (this.tokens.take('|')) types.push(this.#arrayType());
    return { kind: 'union', types };
  }

  #arrayType(): Type {
    const { tokens } = this;
    let of = this.#plainType();
    while (tokens.is('[') && !tokens.isOnNewLine) {
      tokens.next();
      tokens.expect(']');
      of = { kind: 'array', of };
    }
    return of;
  }

  #plainType(): Type {
    const { tokens } = this;
    if (tokens.is('{')) return this.#typeFields();
    if (tokens.kind === 'text') return { kind: 'plain', text: quoted(tokens.string()) };
    if (tokens.take('(')) {
      const type = this.#type();
      tokens.expect(')');
      return type;
    }
    const name = tokens.name();
    if (typeWords.has(name)) return { kind: 'plain', text: name };
    if (name === 'typeof') return { kind: 'typeof', name: tokens.name() };
    if (otherTypes.has(name) || tokens.is('.')) throw new UnknownCode();
    return { kind: 'reference', name, types: tokens.is('<') ? this.#typeArguments() : [] };
  }

  #typeArguments(): Type[] {
    const { tokens } = this;
    tokens.expect('<');
    const found: Type[] = [];
    while (!tokens.take('>')) {
      found.push(this.#type());
      if (!tokens.is('>')) tokens.expect(',');
    }
    return found;
  }

  #typeFields(): Type {
    const { tokens } = this;
    tokens.next();
    const isLong = tokens.isOnNewLine && !tokens.is('}');
    const fields: TypeField[] = [];
    while (!tokens.take('}')) {
      const spaced = tokens.spaced();
      const text = tokens.kind === 'text' ? tokens.string() : tokens.name();
      if (text === 'readonly' && !tokens.is(':')) throw new UnknownCode();
      const key = tokens.take('?') ? `${keyOf(text)}?` : keyOf(text);
      tokens.expect(':');
      fields.push({ ...spaced, key, type: this.#type() });
      if (!tokens.is('}')) tokens.expect(';');
    }
    return { kind: 'fields', fields, isLong };
  }
}

const typeWords = new Set([
  'string',
  'number',
  'boolean',
  'null',
  'undefined',
  'void',
  'never',
  'unknown',
  'true',
  'false',
]);
const otherTypes = new Set([
  'keyof',
  'readonly',
  'infer',
  'unique',
  'new',
  'import',
  'this',
  'any',
  'object',
  'bigint',
  'symbol',
]);

/** `a && (b && c)` is `a && b && c`. */
function inRow(operator: string, left: Code, right: Code): Code {
  if (precedenceOf(operator) <= 3 && right.kind === 'binary' && right.operator === operator)
    return inRow(operator, inRow(operator, left, right.left), right.right);
  return { kind: 'binary', operator, left, right };
}

/** In single quotes, if it has not more of them inside than double ones. */
function quoted(literal: string): string {
  const inside = literal.slice(1, -1);
  const count = (quote: string): number => inside.split(quote).length - 1;
  const quote = count("'") > count('"') ? '"' : "'";
  if (literal.startsWith(quote)) return literal;
  const text = inside.replaceAll(
    /\\(["'\\])|(["'])/g,
    (written, escaped: string | undefined, plain: string | undefined) =>
      escaped === undefined
        ? plain === quote
          ? `\\${plain}`
          : (plain ?? '')
        : escaped !== quote && escaped !== '\\'
          ? escaped
          : written,
  );
  return quote + text + quote;
}

/** A key has quotes only where it needs them. */
function keyOf(text: string): string {
  if (!/^['"]/.test(text)) return text;
  const written = quoted(text);
  // Which other letters make a name is known to prettier.
  if (/[^ -~]/.test(written)) throw new UnknownCode();
  return /^[A-Za-z_$][\w$]*$/.test(written.slice(1, -1)) ? written.slice(1, -1) : written;
}
