/** Bodies that are built from mappings: entries of results as object literals, joins as look-ups by key (decisions 8). */
import type { Body, BodyField, BuiltRow, Entries, JoinStep, RowSource } from '../../plan/model.js';
import { camelCase, upperFirst } from '../../plan/names/identifiers.js';
import { singular } from '../../plan/names/singular.js';
import { argument, type EmittedExpression } from '../module/emitted-expression.js';
import { readsVariable } from '../module/reads-variable.js';
import { lineComment } from '../../../notation/typescript-writer.js';
import type { HandlerContext } from '../context.js';
import { emitExpression } from '../expression.js';
import type { Binding, Scope } from '../scope.js';
import { isPropertyName, propertyKey, stringLiteral } from '../../../notation/typescript-writer.js';
import { Lookups } from '../lookups.js';
import { continuesInTurns, hasListsInTurns } from './mapped-turns.js';
import { readPath } from '../path-access.js';

/** Names that the mapped responses of one handler share. */
export class MappedNames {
  readonly #names = new Map<string, string>();

  constructor(private readonly context: HandlerContext) {}

  /** The variable of a row that is being built from: one inside the other has a name of its own. */
  entry({ fulfillment, depth }: Pick<BuiltRow, 'fulfillment' | 'depth'>): string {
    const key = `entry ${depth} of ${fulfillment}`;
    const variable = this.#variable(fulfillment);
    const one = singular(variable);
    const wished = one === undefined ? `${variable}Row` : camelCase(one, 'row');
    return this.#name(key, () => wished, 'Row');
  }

  /** The function that builds a model of a row: toPerson. */
  builder(model: string, code: string): string {
    return this.#name(code, () => `to${upperFirst(camelCase(model, 'model'))}`);
  }

  /** The variable of a result's entries by those fields: commentsByNewsId. */
  groups(fulfillment: string, fields: readonly string[]): string {
    const by = camelCase(`by ${fields.join(' and ')}`, 'key');
    const wished = (): string => this.#variable(fulfillment) + upperFirst(by.length > 40 ? 'byKeys' : by);
    return this.#name(JSON.stringify([fulfillment, ...fields]), wished);
  }

  /** The variable of the rows in a result of own code: ratingRows. */
  rows(fulfillment: string): string {
    const variable = this.#variable(fulfillment);
    return this.#name(`rows of ${fulfillment}`, () => `${singular(variable) ?? variable}Rows`);
  }

  /** The variable of rows that an object looks up more than once: commentsOfNews. */
  lookup(entry: string, wished: string): string {
    return this.#name(`lookup ${wished} by ${entry}`, () => wished);
  }

  #variable(fulfillment: string): string {
    return this.context.scope.results.get(fulfillment)?.variable ?? '';
  }

  #name(key: string, wished: () => string, suffix = ''): string {
    const name = this.#names.get(key) ?? this.context.names.take(wished(), suffix);
    this.#names.set(key, name);
    return name;
  }
}

/** One body: its code, and the look-ups that are to be declared before it. */
export class MappedBody {
  readonly code: string;
  /** The rows in results of own code, by their variables. */
  readonly #rows = new Map<string, string>();
  readonly #groups = new Map<string, { readonly comments: Set<string>; readonly code: string }>();
  /** The functions that build models, by their code. */
  readonly #builders = new Map<string, string>();
  /** The rows that the enclosing objects are built from, the outermost first. */
  readonly #open: string[] = [];
  readonly #lookups = new Lookups();
  readonly #scope: Scope;

  constructor(
    body: Body,
    private readonly context: HandlerContext,
    private readonly names: MappedNames,
  ) {
    this.#scope = context.scope;
    this.code = this.#lookups.written(this.#emit(body));
  }

  /** In the order of their first use, functions behind those that they call. */
  get declarations(): string[] {
    const groups = [...this.#groups.values()].map(({ comments, code }) => [...comments, code].join('\n'));
    return [
      ...this.#rows.values(),
      ...groups,
      ...[...this.#builders].map(([code, name]) => `const ${name} = ${code};`),
    ];
  }

  #emit(body: Body): string {
    switch (body.kind) {
      case 'object':
        return `{\n${body.fields.map((field) => this.#field(field)).join('\n')}\n}`;
      case 'entries':
        return `${continuesInTurns(body) ? 'await ' : ''}${this.#entries(body)}`;
      case 'row': {
        const item = this.#emit(body.item);
        return body.row.isOptional ? `${this.names.entry(body.row)} && ${item}` : item;
      }
      case 'single':
        return `[${this.#emit(body.item)}]`;
      case 'column': {
        const entry = this.names.entry({ fulfillment: body.of.fulfillment, depth: 0 });
        const { row } = this.#scope.results.get(body.of.fulfillment) ?? {};
        const field = readPath({ text: entry, type: 'row', row }, body.path, this.#scope.module);
        return `${rows(this.#list(body.of))}.flatMap((${entry}) => ${field.text})`;
      }
      case 'value': {
        const reads = body.reads.map((read): [string, Binding] => [read.fulfillment, this.#binding(read)]);
        const results = new Map([...this.#scope.results, ...reads]);
        return emitExpression(body.value, { ...this.#scope, results }).text;
      }
    }
  }

  /** An object for every combination of rows, or for the first one: one call in the other for each fulfillment. */
  #entries(entries: Entries): string {
    const { of, take, item } = entries;
    const [{ row, of: source }, next, ...more] = of;
    const rest: Entries | undefined = next && { ...entries, of: [next, ...more], model: undefined };
    const entry = this.names.entry(row);
    this.#open.push(entry);
    const inner = rest === undefined ? this.#objectOf(row, item) : this.#entries(rest);
    this.#open.pop();
    // If there are several fulfillments, the inner call returns the promise that the outer one awaits.
    const prefix = rest === undefined && hasListsInTurns(item) ? 'async ' : '';
    const build = this.#builder(entries, prefix, inner) ?? `${prefix}(${entry}) => ${inner}`;
    const found = this.#list(source);
    const { module } = this.#scope;
    const list: EmittedExpression = row.isOptional
      ? { text: `${module.runtime('orNull')}(${found.text})`, type: 'rows', nullable: false }
      : found;
    if (continuesInTurns(entries)) {
      const name = take === 'first' ? 'firstInTurns' : rest === undefined ? 'mapInTurns' : 'flatMapInTurns';
      const passed = take === 'first' ? list.text : bareRows(list);
      return `${module.runtime(name)}(call, ${passed}, ${build})`;
    }
    if (take === 'first') return `${module.runtime('first')}(${list.text}, ${build})`;
    return `${rows(list)}.${rest === undefined ? 'map' : 'flatMap'}(${build})`;
  }

  /** The object that is built of a row; what it looks up twice is looked up before it. */
  #objectOf(row: BuiltRow, item: Body): string {
    const code = this.#emit(item);
    // The row may be missing, and then nothing is looked up by it.
    if (row.isOptional) return `(${code})`;
    const entry = this.names.entry(row);
    const { text, declarations } = this.#lookups.hoisted(code, entry, (wished) =>
      this.names.lookup(entry, wished),
    );
    return declarations.length === 0 ? `(${text})` : `{\n${declarations.join('\n')}\nreturn ${text};\n}`;
  }

  /** The function for the model, where it needs nothing of the objects around it. */
  #builder({ of: [{ row }, ...others], model }: Entries, prefix: string, inner: string): string | undefined {
    const written = this.#lookups.written(inner);
    const isClosed = !this.#open.some((outer) => readsVariable(written, outer));
    if (model === undefined || row.isOptional || others.length > 0 || !isClosed) return undefined;
    const type = this.#scope.results.get(row.fulfillment)?.row?.name ?? this.#scope.module.runtime('Row');
    const code = `${prefix}(${this.names.entry(row)}: ${type}) => ${written}`;
    const name = this.names.builder(model, code);
    this.#builders.set(code, name);
    return name;
  }

  #field({ key, value }: BodyField): string {
    const code = this.#emit(value);
    return code === key && isPropertyName(key) ? `${key},` : `${propertyKey(key)}: ${code},`;
  }

  #binding(source: RowSource): Binding {
    const { text, nullable, row } = this.#list(source);
    const entry = source.row && { entry: this.#row(source.row) };
    return { variable: text, type: 'rows', nullable: nullable === true, row, ...entry };
  }

  /** The entries that are reached: all of the result, or those that match. */
  #list({ fulfillment, start, steps }: RowSource): EmittedExpression {
    const [first, ...others] = steps;
    if (first === undefined) {
      const binding = this.#scope.results.get(fulfillment);
      if (binding === undefined)
        throw new Error(`The result of '${fulfillment}' is read where it is not known.`);
      if (binding.type === 'json') return { text: this.#rowsIn(fulfillment), type: 'rows', nullable: false };
      return { text: binding.variable, type: 'rows', nullable: binding.nullable, row: binding.row };
    }
    const keys = first.keys.flatMap(({ from }, index) => {
      const row = start[index];
      if (row === undefined) return [];
      return argument(readPath(this.#row(row), [{ kind: 'name', name: from }], this.#scope.module));
    });
    let text = `${this.#groupsOf(first)}.get(${keys.join(', ')})`;
    for (const step of others) {
      const fields = step.keys.map(({ from }) => stringLiteral(from));
      text = `${this.#groupsOf(step)}.ofAll(${[text, ...fields].join(', ')})`;
    }
    return {
      text: this.#lookups.lookup(
        text,
        this.#nameOf(fulfillment, start),
        start.map((row) => this.names.entry(row)),
      ),
      type: 'rows',
      nullable: false,
      row: this.#scope.results.get(fulfillment)?.row,
    };
  }

  /** commentsOfNews, linesOfOrder */
  #nameOf(fulfillment: string, [row]: readonly BuiltRow[]): string {
    const variable = (name: string) => this.#scope.results.get(name)?.variable ?? '';
    const owner = variable(row?.fulfillment ?? '');
    return `${variable(fulfillment)}Of${upperFirst(singular(owner) ?? owner)}`;
  }

  /** The variable of the rows in a result of own code. */
  #rowsIn(fulfillment: string): string {
    const name = this.names.rows(fulfillment);
    const variable = this.#scope.results.get(fulfillment)?.variable ?? '';
    this.#rows.set(name, `const ${name} = ${this.#scope.module.runtime('rowsIn')}(${variable});`);
    return name;
  }

  #row(row: BuiltRow): EmittedExpression {
    const binding = this.#scope.results.get(row.fulfillment);
    return { text: this.names.entry(row), type: 'row', nullable: row.isOptional, row: binding?.row };
  }

  #groupsOf({ to, keys, joins }: JoinStep): string {
    const fields = keys.map((key) => key.to);
    const name = this.names.groups(to, fields);
    const comments = joins.map(({ condition }) => lineComment(`join: ${this.context.print(condition)}`));
    const known = this.#groups.get(name);
    for (const comment of comments) known?.comments.add(comment);
    if (known === undefined) {
      const { variable = '', type } = this.#scope.results.get(to) ?? {};
      const list = type === 'json' ? this.#rowsIn(to) : variable;
      const passed = [list, ...fields.map((field) => stringLiteral(field))].join(', ');
      const code = `const ${name} = ${this.#scope.module.runtime('groupBy')}(${passed});`;
      this.#groups.set(name, { comments: new Set(comments), code });
    }
    return name;
  }
}

function rows({ text, nullable }: EmittedExpression): string {
  return nullable === true ? `(${text} ?? [])` : text;
}

/** An argument needs no brackets around it. */
function bareRows({ text, nullable }: EmittedExpression): string {
  return nullable === true ? `${text} ?? []` : text;
}
