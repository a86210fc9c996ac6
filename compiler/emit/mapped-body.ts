/** Bodies that are built from mappings: entries of results as object literals, joins as look-ups by key (decisions 8). */
import type { Body, BodyField, BuiltRow, Entries, JoinStep, Reach } from '../mapping/body.js';
import { camelCase, upperFirst } from '../plan/name.js';
import { argument, type Code } from './code.js';
import { lineComment } from './comment.js';
import type { HandlerContext } from './context.js';
import { emitExpression, type Binding, type Scope } from './expression.js';
import { isPropertyName, propertyKey, stringLiteral } from './literal.js';
import { goesOnInTurns, hasListsInTurns } from './mapped-turns.js';
import { readPath } from './path.js';

/** Names that the mapped responses of one handler share. */
export class MappedNames {
  readonly #names = new Map<string, string>();

  constructor(private readonly context: HandlerContext) {}

  /** The variable of a row that is being built from: one inside the other has a name of its own. */
  entry({ fulfillment, depth }: Pick<BuiltRow, 'fulfillment' | 'depth'>): string {
    return this.#name(`entry ${depth} of ${fulfillment}`, () => `${this.#variable(fulfillment)}Entry`);
  }

  /** The variable of a result's entries by those fields: commentsByNewsId. */
  groups(fulfillment: string, fields: readonly string[]): string {
    const by = camelCase(`by ${fields.join(' and ')}`, 'key');
    const wished = (): string => this.#variable(fulfillment) + upperFirst(by.length > 40 ? 'byKeys' : by);
    return this.#name(JSON.stringify([fulfillment, ...fields]), wished);
  }

  #variable(fulfillment: string): string {
    return this.context.scope.results.get(fulfillment)?.variable ?? '';
  }

  #name(key: string, wished: () => string): string {
    const name = this.#names.get(key) ?? this.context.names.take(wished());
    this.#names.set(key, name);
    return name;
  }
}

/** One body: its code, and the look-ups that are to be declared before it. */
export class MappedBody {
  readonly code: string;
  readonly #groups = new Map<string, { readonly comments: Set<string>; readonly code: string }>();
  readonly #scope: Scope;

  constructor(
    body: Body,
    private readonly context: HandlerContext,
    private readonly names: MappedNames,
  ) {
    this.#scope = context.scope;
    this.code = this.#emit(body);
  }

  /** In the order of their first use. */
  get declarations(): string[] {
    return [...this.#groups.values()].map(({ comments, code }) => [...comments, code].join('\n'));
  }

  #emit(body: Body): string {
    switch (body.kind) {
      case 'object':
        return `{\n${body.fields.map((field) => this.#field(field)).join('\n')}\n}`;
      case 'entries':
        return `${goesOnInTurns(body) ? 'await ' : ''}${this.#entries(body)}`;
      case 'row': {
        const item = this.#emit(body.item);
        return body.row.isOptional ? `${this.names.entry(body.row)} && ${item}` : item;
      }
      case 'single':
        return `[${this.#emit(body.item)}]`;
      case 'column': {
        const entry = this.names.entry({ fulfillment: body.of.fulfillment, depth: 0 });
        const field = readPath({ text: entry, type: 'row' }, body.path, this.#scope.module);
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
    const [{ row, of: reach }, next, ...more] = of;
    const rest: Entries | undefined = next && { ...entries, of: [next, ...more] };
    const inner = rest === undefined ? `(${this.#emit(item)})` : this.#entries(rest);
    const build = `(${this.names.entry(row)}) => ${inner}`;
    const found = this.#list(reach);
    const { module } = this.#scope;
    const list: Code = row.isOptional
      ? { text: `${module.runtime('orNull')}(${found.text})`, type: 'rows', nullable: false }
      : found;
    if (goesOnInTurns(entries)) {
      const name = take === 'first' ? 'firstInTurns' : rest === undefined ? 'mapInTurns' : 'flatMapInTurns';
      const given = take === 'first' ? list.text : bareRows(list);
      // Of several fulfillments the inner call gives the promise that the outer one waits for.
      const isAsync = rest === undefined && hasListsInTurns(item);
      return `${module.runtime(name)}(call, ${given}, ${isAsync ? 'async ' : ''}${build})`;
    }
    if (take === 'first') return `${module.runtime('first')}(${list.text}, ${build})`;
    return `${rows(list)}.${rest === undefined ? 'map' : 'flatMap'}(${build})`;
  }

  #field({ key, value }: BodyField): string {
    const code = this.#emit(value);
    return code === key && isPropertyName(key) ? `${key},` : `${propertyKey(key)}: ${code},`;
  }

  #binding(reach: Reach): Binding {
    const { text, nullable } = this.#list(reach);
    const entry = reach.row && { entry: this.#row(reach.row) };
    return { variable: text, type: 'rows', nullable: nullable === true, ...entry };
  }

  /** The entries that are reached: all of the result, or those that match. */
  #list({ fulfillment, start, steps }: Reach): Code {
    const [first, ...others] = steps;
    if (first === undefined) {
      const binding = this.#scope.results.get(fulfillment);
      if (binding === undefined)
        throw new Error(`The result of '${fulfillment}' is read where it is not known.`);
      return { text: binding.variable, type: 'rows', nullable: binding.nullable };
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
    return { text, type: 'rows', nullable: false };
  }

  #row(row: BuiltRow): Code {
    return { text: this.names.entry(row), type: 'row', nullable: row.isOptional };
  }

  #groupsOf({ to, keys, joins }: JoinStep): string {
    const fields = keys.map((key) => key.to);
    const name = this.names.groups(to, fields);
    const comments = joins.map(({ condition }) => lineComment(`join: ${this.context.print(condition)}`));
    const known = this.#groups.get(name);
    for (const comment of comments) known?.comments.add(comment);
    if (known === undefined) {
      const variable = this.#scope.results.get(to)?.variable ?? '';
      const given = [variable, ...fields.map((field) => stringLiteral(field))].join(', ');
      const code = `const ${name} = ${this.#scope.module.runtime('groupBy')}(${given});`;
      this.#groups.set(name, { comments: new Set(comments), code });
    }
    return name;
  }
}

function rows({ text, nullable }: Code): string {
  return nullable === true ? `(${text} ?? [])` : text;
}

/** An argument needs no brackets around it. */
function bareRows({ text, nullable }: Code): string {
  return nullable === true ? `${text} ?? []` : text;
}
