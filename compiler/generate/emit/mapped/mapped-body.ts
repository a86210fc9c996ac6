/** Bodies built from mappings: rows as object literals, joins as lookups by key. */
import { printCode } from '../../code/print.js';
import {
  and,
  array,
  arrow,
  call,
  comment,
  constant,
  field,
  literal,
  method,
  name,
  parameter,
  tallObject,
  wait,
  type Arrow,
  type Code,
  type Field,
  type Name,
  type Statement,
} from '../../code/code.js';
import { reads } from '../../code/code-parts.js';
import type { Body, BodyField, BuiltRow, Entries, JoinStep, RowSource } from '../../plan/model.js';
import { camelCase, upperFirst } from '../../plan/names/identifiers.js';
import { singular } from '../../plan/names/singular.js';
import { argument, type EmittedExpression } from '../module/emitted-expression.js';
import type { HandlerContext } from '../context.js';
import { emitDigits } from '../digits.js';
import { emitExpression, rowsOf, theCall } from '../expression.js';
import type { Binding, Scope } from '../scope.js';
import { Lookups } from '../lookups.js';
import { continuesInTurns } from './mapped-turns.js';
import { readPath } from '../path-access.js';
import { bodyOf } from '../schema.js';

/** Names shared by the mapped responses of one handler. */
export class MappedNames {
  readonly #names = new Map<string, Name>();

  constructor(private readonly context: HandlerContext) {}

  /** The variable of the row that an object is built from; nested rows of one fulfillment get distinct names. */
  entry({ fulfillment, depth }: Pick<BuiltRow, 'fulfillment' | 'depth'>): Name {
    const key = `entry ${depth} of ${fulfillment}`;
    const variable = this.#variable(fulfillment);
    const one = singular(variable);
    const wished = one === undefined ? `${variable}Row` : camelCase(one, 'row');
    return this.#name(key, () => wished, 'Row');
  }

  /** The function that builds a model from a row, such as toPerson. */
  builder(model: string, code: string): Name {
    return this.#name(code, () => `to${upperFirst(camelCase(model, 'model'))}`);
  }

  /** The variable of a result's rows grouped by fields, such as commentsByNewsId. */
  groups(fulfillment: string, fields: readonly string[]): Name {
    const by = camelCase(`by ${fields.join(' and ')}`, 'key');
    const wished = (): string => this.#variable(fulfillment) + upperFirst(by.length > 40 ? 'byKeys' : by);
    return this.#name(JSON.stringify([fulfillment, ...fields]), wished);
  }

  /** The variable of the rows in a user function's result, such as ratingRows. */
  rows(fulfillment: string): Name {
    const variable = this.#variable(fulfillment);
    return this.#name(`rows of ${fulfillment}`, () => `${singular(variable) ?? variable}Rows`);
  }

  /** The variable of a lookup that an object repeats, such as commentsOfNews. */
  lookup(entry: Name, wished: string): Name {
    return this.#name(`lookup ${wished} by ${entry.name}`, () => wished);
  }

  #variable(fulfillment: string): string {
    return variableOf(this.context.scope.results.get(fulfillment));
  }

  #name(key: string, wished: () => string, suffix = ''): Name {
    const name = this.#names.get(key) ?? this.context.names.take(wished(), suffix);
    this.#names.set(key, name);
    return name;
  }
}

/** One body: its code, and the declarations that must precede it. */
export class MappedBody {
  readonly code: Code;
  /** Rows in the results of user functions, by variable. */
  readonly #rows = new Map<string, Statement>();
  readonly #groups = new Map<string, { readonly comments: Set<string>; readonly declaration: Statement }>();
  /** Functions that build models, by their code. */
  readonly #builders = new Map<string, Statement>();
  /** Rows that the enclosing objects are built from, outermost first. */
  readonly #open: Name[] = [];
  readonly #lookups = new Lookups();
  readonly #scope: Scope;

  constructor(
    body: Body,
    private readonly context: HandlerContext,
    private readonly names: MappedNames,
  ) {
    this.#scope = context.scope;
    this.code = this.#emit(body);
  }

  /** Declarations in order of first use, with functions after the functions that they call. */
  get declarations(): (readonly Statement[])[] {
    // A join followed in both directions has two variables and one comment.
    const groups = new Map<string, readonly Statement[]>();
    for (const { comments, declaration } of this.#groups.values()) {
      const key = [...comments].join('\n');
      groups.set(key, [...(groups.get(key) ?? [...comments].map(comment)), declaration]);
    }
    return [
      ...[...this.#rows.values()].map(alone),
      ...groups.values(),
      ...[...this.#builders.values()].map(alone),
    ];
  }

  #emit(body: Body): Code {
    switch (body.kind) {
      case 'object':
        return tallObject(body.fields.map((one) => this.#field(one)));
      case 'entries': {
        const entries = this.#entries(body);
        return continuesInTurns(body) ? wait(entries) : entries;
      }
      case 'row': {
        const item = this.#emit(body.item);
        return body.row.isOptional ? and(this.names.entry(body.row), item) : item;
      }
      case 'single':
        return array([this.#emit(body.item)]);
      case 'column': {
        const entry = this.names.entry({ fulfillment: body.of.fulfillment, depth: 0 });
        const { row } = this.#scope.results.get(body.of.fulfillment) ?? {};
        const { module, digits } = this.#scope;
        const read = readPath({ code: entry, type: 'row', row }, body.path, module);
        const { code } = emitDigits(read, digits.get(body), module);
        return method(rowsOf(this.#list(body.of)), 'flatMap', arrow([parameter(entry)], code));
      }
      case 'value': {
        const reads = body.reads.map((read): [string, Binding] => [read.fulfillment, this.#binding(read)]);
        const results = new Map([...this.#scope.results, ...reads]);
        const emitted = emitExpression(body.value, { ...this.#scope, results });
        return emitDigits(emitted, this.#scope.digits.get(body), this.#scope.module).code;
      }
    }
  }

  /** Builds an object for each combination of rows, or for the first one, with nested calls, one per fulfillment. */
  #entries(entries: Entries): Code {
    const { of, take, item } = entries;
    const [{ row, of: source }, next, ...more] = of;
    const rest: Entries | undefined = next && { ...entries, of: [next, ...more], model: undefined };
    const entry = this.names.entry(row);
    this.#open.push(entry);
    const inner = rest === undefined ? this.#objectOf(row, item) : this.#entries(rest);
    this.#open.pop();
    // With several fulfillments, the inner call returns the promise that the outer call awaits.
    const build = this.#builder(entries, inner) ?? arrow([parameter(entry)], inner);
    const found = this.#list(source);
    const { module } = this.#scope;
    const list: EmittedExpression = row.isOptional
      ? { code: call(module.runtime('orNull'), found.code), type: 'rows', nullable: false }
      : found;
    if (continuesInTurns(entries)) {
      const name = take === 'first' ? 'firstInTurns' : rest === undefined ? 'mapInTurns' : 'flatMapInTurns';
      const passed = take === 'first' ? list.code : rowsOf(list);
      return call(module.runtime(name), theCall, passed, build);
    }
    if (take === 'first') return call(module.runtime('first'), list.code, build);
    return method(rowsOf(list), rest === undefined ? 'map' : 'flatMap', build);
  }

  /** The object built from a row, preceded by declarations of repeated lookups. */
  #objectOf(row: BuiltRow, item: Body): Arrow['body'] {
    const code = this.#emit(item);
    // An optional row may be missing, so lookups by its keys are not hoisted.
    if (row.isOptional) return code;
    const entry = this.names.entry(row);
    return bodyOf(this.#lookups.hoisted(code, entry, (wished) => this.names.lookup(entry, wished)));
  }

  /** The function that builds the model, if it does not read variables of the enclosing objects. */
  #builder({ of: [{ row }, ...others], model }: Entries, inner: Arrow['body']): Name | undefined {
    const isClosed = !this.#open.some((outer) => reads(inner, outer.name));
    if (model === undefined || row.isOptional || others.length > 0 || !isClosed) return undefined;
    const declared = this.#scope.results.get(row.fulfillment)?.row;
    const type = declared === undefined ? this.#scope.module.runtime('Row') : name(declared.name);
    const build = arrow([parameter(this.names.entry(row), type)], inner);
    const text = printCode(build);
    const builder = this.names.builder(model, text);
    this.#builders.set(text, constant(builder, build));
    return builder;
  }

  #field({ key, value }: BodyField): Field {
    return field(key, this.#emit(value));
  }

  #binding(source: RowSource): Binding {
    const { code, nullable, row } = this.#list(source);
    const entry = source.row && { entry: this.#row(source.row) };
    return { code, type: 'rows', nullable: nullable === true, row, ...entry };
  }

  /** The rows that are reached: the whole result, or the matching rows. */
  #list({ fulfillment, start, steps }: RowSource): EmittedExpression {
    const [first, ...others] = steps;
    if (first === undefined) {
      const binding = this.#scope.results.get(fulfillment);
      if (binding === undefined)
        throw new Error(`The result of '${fulfillment}' is read where it is not known.`);
      if (binding.type === 'json') return { code: this.#rowsIn(fulfillment), type: 'rows', nullable: false };
      return { code: binding.code, type: 'rows', nullable: binding.nullable, row: binding.row };
    }
    const keys = first.keys.flatMap(({ from }, index) => {
      const row = start[index];
      if (row === undefined) return [];
      return argument(readPath(this.#row(row), [{ kind: 'name', name: from }], this.#scope.module));
    });
    let code = method(this.#groupsOf(first), 'get', ...keys);
    for (const step of others)
      code = method(this.#groupsOf(step), 'ofAll', code, ...step.keys.map(({ from }) => literal(from)));
    return {
      code: this.#lookups.lookup(
        code,
        this.#nameOf(fulfillment, start),
        start.map((row) => this.names.entry(row)),
      ),
      type: 'rows',
      nullable: false,
      row: this.#scope.results.get(fulfillment)?.row,
    };
  }

  /** The name of a lookup, such as commentsOfNews or linesOfOrder. */
  #nameOf(fulfillment: string, [row]: readonly BuiltRow[]): string {
    const variable = (of: string) => variableOf(this.#scope.results.get(of));
    const owner = variable(row?.fulfillment ?? '');
    return `${variable(fulfillment)}Of${upperFirst(singular(owner) ?? owner)}`;
  }

  /** The variable of the rows in a user function's result. */
  #rowsIn(fulfillment: string): Name {
    const rows = this.names.rows(fulfillment);
    const found = call(this.#scope.module.runtime('rowsIn'), this.#result(fulfillment));
    this.#rows.set(rows.name, constant(rows, found));
    return rows;
  }

  #result(fulfillment: string): Code {
    const binding = this.#scope.results.get(fulfillment);
    if (binding === undefined)
      throw new Error(`The result of '${fulfillment}' is read where it is not known.`);
    return binding.code;
  }

  #row(row: BuiltRow): EmittedExpression {
    const binding = this.#scope.results.get(row.fulfillment);
    return { code: this.names.entry(row), type: 'row', nullable: row.isOptional, row: binding?.row };
  }

  #groupsOf({ to, keys, joins }: JoinStep): Name {
    const fields = keys.map((key) => key.to);
    const groups = this.names.groups(to, fields);
    const comments = joins.map(({ condition }) => `join: ${this.context.print(condition)}`);
    const known = this.#groups.get(groups.name);
    for (const one of comments) known?.comments.add(one);
    if (known === undefined) {
      const isJson = this.#scope.results.get(to)?.type === 'json';
      const list = isJson ? this.#rowsIn(to) : this.#result(to);
      const grouped = call(this.#scope.module.runtime('groupBy'), list, ...fields.map(literal));
      this.#groups.set(groups.name, {
        comments: new Set(comments),
        declaration: constant(groups, grouped),
      });
    }
    return groups;
  }
}

function alone(statement: Statement): readonly Statement[] {
  return [statement];
}

/** The variable of a result. */
function variableOf(binding: Binding | undefined): string {
  return binding?.code.kind === 'name' ? binding.code.name : '';
}
