/** Random operations, and the requests for all variants of each; the same seed yields the same ones. */
import type { Json } from '../interpreter/language.js';
import { Random } from '../helpers/random.js';
import {
  lastNext,
  lastTag,
  type Case,
  type Exception,
  type Expr,
  type Operation,
  type Path,
  type Request,
  type Response,
  type Schema,
  type Statement,
  type Step,
  type Template,
} from './operation.js';
import { changes, orders, reads, type StatementKind } from './statements.js';

/** The readable parts of a result. */
interface Readable {
  /** Paths of values; some are strings, integers or null. */
  readonly paths: readonly Path[];
  readonly texts: readonly Path[];
  readonly wholes: readonly Path[];
  readonly is: 'rows' | 'page' | 'change' | 'answer' | 'element';
  /** Readable properties of the outcome of a request or call. */
  readonly outcome?: readonly ('status' | 'failure' | 'kind')[];
  /** The index under which the result is stored, if it is the same in all iterations. */
  readonly index?: Expr;
}

interface Scope {
  readonly names: ReadonlyMap<string, Readable>;
  readonly stored: ReadonlyMap<string, Readable>;
  readonly element?: Readable;
}

/** The allowed steps at a position. */
interface Place {
  readonly depth: number;
  readonly isTransaction: boolean;
  /** Whether other iterations may run concurrently. */
  readonly isParallel: boolean;
  readonly isCalled: boolean;
}

const wholeColumns = new Set(['id', 'n', 'item_id', 'total', 'top']);
const textColumns = new Set(['name', 'note', 'title', 'what']);
const texts = ['a', 'b', 'x', '1', 'true', '', 'Ä', "it's"];
const constants = [...texts, '2026-01-01T09:00:00', 0, 1, 2, -1, 1.5, 9.9, true, false, null];
const odd = ['😀', ' ', '%', 'null', '1e3', '01', '"', '\\', ':[PARAM(id)]', '${HOME}', '1.0'];
const operators = ['==', '==', '!=', '<', '<=', '>', '>='] as const;
/** Indexes that are the same in all iterations of a loop. */
const sameIndexes: readonly Expr[] = [
  { is: 'constant', value: 1 },
  { is: 'param', name: 'id' },
  { is: 'body', path: ['n'] },
];
const requestsPerCase = 8;

export function randomCase(seed: number): Case {
  const random = new Random(seed);
  const operation = new Maker(random).operation();
  return { seed, operation, requests: randomRequests(operation, random) };
}

class Maker {
  #count = 0;
  /** Whether the operation avoids features that exist in only one syntax. */
  readonly #isPlain: boolean;

  constructor(private readonly random: Random) {
    this.#isPlain = random.chance(45);
  }

  operation(): Operation {
    const { random } = this;
    const method = random.chance(60) ? 'POST' : 'GET';
    if (random.chance(12)) return this.#nested(method);
    if (!this.#isPlain && random.chance(25)) return this.#gateway(method);
    return {
      method,
      ...this.#body({ depth: 0, isTransaction: random.chance(25), isParallel: false, isCalled: false }),
    };
  }

  /** Rows with the rows that belong to each: a loop in Syntax A, a join in Syntax B. */
  #nested(method: Operation['method']): Operation {
    const { random } = this;
    const parents = this.#read('items', { names: new Map(), stored: new Map() }, [
      'all',
      'named',
      'some',
      'none',
    ]);
    const steps: Step[] = [
      { ...parents, exceptions: this.#exceptions(this.#scopeOf([parents]), 20) },
      { name: 'parts', does: 'children', of: 'items', exceptions: [] },
    ];
    const responses: Response[] = [
      ...(random.chance(30) ? [{ if: { is: 'empty', name: 'items' } as const, status: 404 }] : []),
      {
        status: 200,
        schema: { is: 'nested', parents: 'items', children: 'parts' },
        ...this.#headers(this.#scopeOf([parents])),
      },
    ];
    return { method, exceptions: [], steps, responses };
  }

  /** Requests that read nothing of each other, whose results are all in the response. */
  #gateway(method: Operation['method']): Operation {
    const { random } = this;
    const scope: Scope = { names: new Map(), stored: new Map() };
    const steps = random.some(2 + random.below(3), (at): Step => {
      const name = `reply${at}`;
      const place = { depth: 0, isTransaction: false, isParallel: false, isCalled: false };
      const step = this.#request(name, scope, place);
      return {
        ...step,
        exceptions: this.#exceptions(this.#scopeOf([step]), 20),
        ...(random.chance(20) ? { if: this.#condition(scope, 1) } : {}),
      };
    });
    const fields = steps.map(({ name }): [string, Schema] => [
      name,
      { is: 'leaf', value: { is: 'value', name, path: random.pick(this.#results.get(name)?.paths ?? [[]]) } },
    ]);
    const schema: Schema = { is: 'object', fields };
    const headers = this.#headers(this.#scopeOf(steps));
    return { method, exceptions: [], steps, responses: [{ status: 200, schema, ...headers }] };
  }

  #body(place: Place): Omit<Operation, 'method'> {
    const { random } = this;
    const exceptions = this.#exceptions({ names: new Map(), stored: new Map() }, place.isCalled ? 10 : 15);
    const { steps, scope } = this.#steps(
      1 + random.below(place.isCalled ? 2 : 4),
      { names: new Map(), stored: new Map() },
      place,
    );
    const list = steps.length === 0 ? undefined : steps.at(-1);
    const isTable = !place.isCalled && list?.does === 'read' && random.chance(20);
    const others: Response[] = random.some(isTable ? 0 : random.below(3), () => ({
      if: this.#condition(scope, 2),
      status: random.pick([200, 201, 404, 422]),
      ...(random.chance(80) ? { schema: this.#schema(scope, 2) } : {}),
      ...(place.isCalled ? {} : this.#headers(scope)),
    }));
    const standard: Response = isTable
      ? { status: 200, ...this.#table(list.name, scope) }
      : {
          status: random.chance(85) ? 200 : 202,
          schema: place.isCalled ? this.#object(scope, 2) : this.#schema(scope, 3),
          ...(place.isCalled ? {} : this.#headers(scope)),
          ...(!place.isCalled && random.chance(15) ? { etag: true as const } : {}),
        };
    return {
      ...(place.isTransaction && !place.isCalled ? { transaction: true as const } : {}),
      ...{ exceptions, steps, responses: [...others, standard] },
    };
  }

  #table(name: string, scope: Scope): Pick<Response, 'schema' | 'contentType'> {
    const { random } = this;
    const element: Readable = { is: 'element', ...pathsOf(columnsOf(scope.names.get(name))) };
    const item = random.some(
      1 + random.below(3),
      (at) => [`k${at}`, this.#leaf({ ...scope, element })] as const,
    );
    return {
      contentType: random.pick(['text/csv', 'application/x-ndjson']),
      schema: { is: 'list', list: { is: 'value', name, path: [] }, item: { is: 'object', fields: item } },
    };
  }

  #steps(count: number, outer: Scope, place: Place): { steps: Step[]; scope: Scope } {
    let scope = outer;
    const steps: Step[] = [];
    for (let at = 0; at < count; at += 1) {
      // Requests are sent at the same time if they follow each other.
      const follows = steps.at(-1)?.does === 'request' && this.random.chance(50);
      const { step, result } = this.#step(scope, place, follows ? 30 : this.random.below(100));
      steps.push(step);
      const names = result === undefined ? scope.names : new Map([...scope.names, [step.name, result]]);
      const stored = new Map([...scope.stored, ...storedIn(step, this.#results)]);
      scope = { ...scope, names, stored };
    }
    return { steps, scope };
  }

  /** The readable parts of each step, by name. */
  readonly #results = new Map<string, Readable>();

  #scopeOf(steps: readonly Step[]): Scope {
    return {
      names: new Map(
        steps.flatMap(({ name }) =>
          this.#results.has(name) ? [[name, this.#results.get(name) as Readable]] : [],
        ),
      ),
      stored: new Map(),
    };
  }

  /** `kind` from 0 to 99 selects the kind of step. */
  #step(scope: Scope, place: Place, kind: number): { step: Step; result: Readable | undefined } {
    const { random } = this;
    this.#count += 1;
    const name = `${random.pick(['news', 'item', 'list', 'row', 'reply', 'data'])}${this.#count}`;
    if (kind < 20 && place.depth < 2 && !this.#isPlain)
      return { step: this.#loop(name, scope, place), result: undefined };
    const step = this.#plainStep(name, kind, scope, place);
    const result = this.#results.get(name) as Readable;
    const after: Scope = { ...scope, names: new Map([...scope.names, [name, result]]) };
    const isInLoop = place.depth > 0;
    const common = {
      exceptions: this.#exceptions(after, isInLoop ? 45 : 25),
      ...(random.chance(25) ? { if: this.#condition(scope, 2) } : {}),
      ...(isInLoop && random.chance(55) ? { index: this.#index(after) } : {}),
      ...(isInLoop && !place.isParallel && random.chance(25)
        ? { loopbreak: [this.#condition(after, 1)] }
        : {}),
    };
    return { step: { ...step, ...common }, result };
  }

  /** An index from the element, or a constant one, for which the last iteration counts. */
  #index(scope: Scope): Expr {
    const { random } = this;
    return random.chance(50) ? this.#operand(scope, 1) : random.pick(sameIndexes);
  }

  #loop(name: string, scope: Scope, place: Place): Step {
    const { random } = this;
    const { list, element } = this.#list(scope);
    const isParallel = place.isParallel || (place.depth === 0 && random.chance(65));
    const inner: Scope = { ...scope, element, names: new Map([...scope.names, [name, element]]) };
    const { steps } = this.#steps(1 + random.below(3), inner, {
      ...place,
      depth: place.depth + 1,
      isParallel,
    });
    return {
      ...{ name, does: 'loop', list, steps },
      exceptions: this.#exceptions(scope, 10),
      ...(random.chance(15) ? { if: this.#condition(scope, 1) } : {}),
      ...(isParallel ? { isParallel: true as const } : {}),
    };
  }

  #plainStep(name: string, kind: number, scope: Scope, place: Place): Step {
    const { random } = this;
    if (kind < 34 && !this.#isPlain) return this.#request(name, scope, place);
    if (kind < 42 && !place.isCalled && !this.#isPlain) return this.#call(name, scope, place);
    if (kind < 52 && place.depth === 0 && !place.isCalled) {
      this.#results.set(name, { is: 'page', ...pathsOf(['id', 'name', 'n', 'note', 'flag', 'price', 'at']) });
      return { name, does: 'page', max: 1 + random.below(3), exceptions: [] };
    }
    if (kind < 74) return this.#read(name, scope, Object.keys(reads));
    const all = Object.keys(changes).filter((one) => !place.isParallel || changes[one]?.isAppend === true);
    const statement = this.#statement(scope, changes, all);
    const { columns } = changes[statement.does] as StatementKind;
    this.#results.set(
      name,
      columns === undefined
        ? { is: 'change', paths: [], texts: [], wholes: [] }
        : { is: 'rows', ...pathsOf(columns) },
    );
    return { name, does: 'change', choices: [{ ...this.#maybeIf(scope), statement }], exceptions: [] };
  }

  #read(name: string, scope: Scope, kinds: readonly string[]): Step {
    const { random } = this;
    const statement = this.#statement(scope, reads, kinds);
    const { columns = [] } = reads[statement.does] as StatementKind;
    this.#results.set(name, { is: 'rows', ...pathsOf(columns) });
    // All instructions of the READ return the same columns.
    const same = kinds.filter((one) => reads[one]?.columns === columns);
    const choices = [
      { ...(random.chance(20) ? { if: this.#condition(scope, 2) } : {}), statement },
      ...random.some(random.chance(20) ? 1 : 0, () => ({
        ...this.#maybeIf(scope),
        statement: this.#statement(scope, reads, same),
      })),
    ];
    return { name, does: 'read', choices, exceptions: [] };
  }

  #maybeIf(scope: Scope): { if?: Expr } {
    return this.random.chance(20) ? { if: this.#condition(scope, 2) } : {};
  }

  #statement(
    scope: Scope,
    all: Readonly<Record<string, StatementKind>>,
    kinds: readonly string[],
  ): Statement {
    const does = this.random.pick(kinds);
    const values = (all[does] as StatementKind).binds.map((bind) =>
      bind === 'text' ? this.#text(scope) : bind === 'ids' ? this.#ids(scope) : this.#whole(scope),
    );
    return { does, values };
  }

  #request(name: string, scope: Scope, place: Place): Step {
    const { random } = this;
    const method = random.pick(['GET', 'GET', 'POST', 'PUT'] as const);
    const kind = random.pick(['json', 'json', 'json', 'list', 'status', 'text', 'empty', 'cut', 'flaky']);
    const isFlaky = kind === 'flaky' && !place.isParallel && method !== 'POST' && !place.isTransaction;
    const isGiven = !place.isTransaction && random.chance(40);
    // In a loop, each iteration uses a different URL, and the responses arrive in a different order.
    const element = scope.element === undefined || random.chance(20) ? [] : scope.element.paths.slice(0, 1);
    const value = [
      ...element.map((path): Expr => ({ is: 'element', path })),
      ...(element.length === 0 && random.chance(50) ? [this.#text(scope)] : ['1']),
    ];
    const query = random.chance(40) ? ['?q=', this.#operand(scope, 1), '&r=', this.#operand(scope, 1)] : [];
    const paths: Path[] =
      kind === 'list'
        ? [[0], [0, 'name'], ['*', 'id'], ['name']]
        : [['value'], ['list'], ['list', 1], ['list', 0, 'name'], ['deep', 'flag']];
    const outcome = ['status', 'kind', ...(isGiven ? ['failure'] : [])] as NonNullable<Readable['outcome']>;
    this.#results.set(name, { is: 'answer', paths: [[], ...paths], texts: [], wholes: [], ...{ outcome } });
    return {
      ...{
        name,
        does: 'request',
        method,
        // Two requests at the same time must not share the count of their tries.
        url: [isFlaky ? `/flaky/${name}-` : `/${kind === 'flaky' ? 'json' : kind}/`, ...value, ...query],
      },
      ...(random.chance(30) ? { header: ['X-Sent: ', this.#text(scope)] } : {}),
      ...(method === 'GET' ? {} : { body: this.#schema(scope, 2) }),
      ...(isGiven ? { onFailure: true as const } : {}),
      ...(isFlaky ? { retry: true as const } : {}),
      exceptions: [],
    };
  }

  #call(name: string, scope: Scope, place: Place): Step {
    const { random } = this;
    const operation: Operation = { method: 'GET', ...this.#body({ ...place, depth: 0, isCalled: true }) };
    const last = operation.responses.at(-1)?.schema;
    const fields = last?.is === 'object' ? last.fields.map(([field]) => [field]) : [];
    const paths = operation.responses.length > 1 ? [] : fields;
    const onFailure = !place.isTransaction && random.chance(40) ? { onFailure: true as const } : {};
    const outcome = 'onFailure' in onFailure ? { outcome: ['status' as const] } : {};
    this.#results.set(name, { is: 'answer', paths, texts: [], wholes: [], ...outcome });
    const parameters: (readonly [string, Schema])[] = [
      ...(random.chance(50) ? [['x', { is: 'leaf', value: this.#operand(scope, 1) }] as const] : []),
      ...(random.chance(40) ? [['z', { is: 'leaf', value: this.#text(scope) }] as const] : []),
      ...(random.chance(30) ? [['body', this.#object(scope, 1)] as const] : []),
    ];
    return {
      ...{ name, does: 'call', operation, parameters, exceptions: [], ...onFailure },
    };
  }

  #exceptions(scope: Scope, percent: number): Exception[] {
    const { random } = this;
    return random.some(random.chance(percent) ? 1 + random.below(2) : 0, () => ({
      if: this.#condition(scope, 2),
      status: random.pick([400, 404, 409, 422]),
      message: this.#message(scope),
      ...(random.chance(30) ? { code: 'some_code' } : {}),
      ...(random.chance(30) ? { schema: this.#errorSchema(scope) } : {}),
      ...(random.chance(20) ? { header: [['X-Why: ', this.#text(scope)]] } : {}),
    }));
  }

  #message(scope: Scope): Template {
    const { random } = this;
    const path = scope.element?.paths[0];
    if (path !== undefined && random.chance(70)) return ['because of ', { is: 'element', path }];
    return random.chance(40) ? ['because ', this.#operand(scope, 1), ' it is'] : ['not found'];
  }

  #errorSchema(scope: Scope): Schema {
    const error = (field: string): readonly [string, Schema] => [
      field,
      { is: 'leaf', value: { is: 'error', field } },
    ];
    return { is: 'object', fields: [error('code'), error('message'), ['more', this.#schema(scope, 1)]] };
  }

  #headers(scope: Scope): Pick<Response, 'header'> {
    const { random } = this;
    const lines: Template[] = [
      ...namesOf(scope, 'page')
        .slice(0, 1)
        .map((name): Template => ['X-Next: ', { is: 'next', name }]),
      ...(random.chance(25) ? [['X-Value: ', this.#operand(scope, 1)]] : []),
      ...(random.chance(10) ? [['Link: </items/', this.#text(scope), '>; rel="self"']] : []),
      ...(random.chance(10) ? [['X-Text: a ', this.#operand(scope, 1), ' b']] : []),
    ];
    return lines.length === 0 ? {} : { header: lines };
  }

  #list(scope: Scope): { list: Expr; element: Readable } {
    const { random } = this;
    const rows = namesOf(scope, 'rows');
    const kind = random.below(100);
    const wholes: Readable = { is: 'element', paths: [[]], texts: [], wholes: [[]] };
    const any: Readable = { is: 'element', paths: [[], ['name'], ['key'], ['val']], texts: [], wholes: [] };
    if (rows.length > 0 && kind < 45) {
      const name = random.pick(rows);
      return {
        list: { is: 'value', name, path: [] },
        element: { is: 'element', ...pathsOf(columnsOf(scope.names.get(name))) },
      };
    }
    if (kind < 65 && !this.#isPlain)
      return { list: { is: 'list', count: { is: 'constant', value: random.below(5) } }, element: wholes };
    if (kind < 70 && !this.#isPlain)
      return { list: { is: 'list', count: { is: 'body', path: ['n'] } }, element: wholes };
    return { list: { is: 'body', path: [random.pick(['list', 'list', 'map', 'rows'])] }, element: any };
  }

  #object(scope: Scope, depth: number): Schema {
    const fields = this.random.some(
      1 + this.random.below(4),
      (at) => [`k${at}`, this.#schema(scope, depth - 1)] as const,
    );
    return { is: 'object', fields };
  }

  #schema(scope: Scope, depth: number): Schema {
    const { random } = this;
    const kind = depth <= 0 ? 99 : random.below(100);
    if (kind < 50) return this.#object(scope, depth);
    if (kind < 68) {
      const { list, element } = this.#list(scope);
      return { is: 'list', list, item: this.#schema({ ...scope, element }, depth - 1) };
    }
    return this.#leaf(scope);
  }

  #leaf(scope: Scope): Schema {
    const { random } = this;
    const whole = namesOf(scope, 'rows');
    if (whole.length > 0 && random.chance(15))
      return { is: 'leaf', value: { is: 'value', name: random.pick(whole), path: [] } };
    return { is: 'leaf', value: random.chance(20) ? this.#condition(scope, 2) : this.#value(scope) };
  }

  #condition(scope: Scope, depth: number): Expr {
    const { random } = this;
    const kind = random.below(100);
    const rows = namesOf(scope, 'rows');
    if (depth > 0 && kind < 26)
      return {
        is: kind < 13 ? 'and' : 'or',
        left: this.#condition(scope, depth - 1),
        right: this.#condition(scope, depth - 1),
      };
    if (depth > 0 && kind < 33) return { is: 'not', of: this.#condition(scope, depth - 1) };
    if (rows.length > 0 && kind < 48) return { is: 'empty', name: random.pick(rows) };
    const [one, other] = [
      this.#value(scope),
      random.chance(70) ? this.#constant(constants) : this.#value(scope),
    ];
    const operator = random.pick(operators);
    return random.chance(85)
      ? { is: 'compare', operator, left: one, right: other }
      : { is: 'compare', operator, left: other, right: one };
  }

  #constant(values: readonly (string | number | boolean | null)[]): Expr {
    return { is: 'constant', value: this.random.pick(values) };
  }

  #value(scope: Scope): Expr {
    const { random } = this;
    if (random.chance(82)) return this.#operand(scope, 1);
    return {
      is: random.pick(['coalesce', 'concat']),
      parts: random.some(1 + random.below(3), () => this.#operand(scope, 1)),
    };
  }

  #operand(scope: Scope, depth: number): Expr {
    const { random } = this;
    const kind = random.below(100);
    if (kind < 10) return { is: 'param', name: random.pick(['x', 'y', 'id', 'z']) };
    if (kind < 14) return { is: 'query', name: random.pick(['x', 'y']) };
    if (kind < 16) return { is: 'header', name: 'x-kind' };
    if (kind < 26)
      return {
        is: 'body',
        path: random.pick<Path>([['n'], ['t'], ['list'], ['map', 'a'], ['list', 0], ['list', '*', 'name']]),
      };
    if (kind < 30) return this.#constant(constants.filter((one) => one !== null));
    if (depth > 0 && kind < 38) {
      const rows = namesOf(scope, 'rows');
      const of: Expr =
        rows.length > 0 ? { is: 'value', name: random.pick(rows), path: [] } : { is: 'body', path: ['list'] };
      return { is: 'size', of };
    }
    if (scope.element !== undefined && kind < 52)
      return { is: 'element', path: random.pick(scope.element.paths) };
    if (scope.stored.size > 0 && kind < 60) {
      const [name, { paths, index }] = random.pick([...scope.stored]);
      if (paths.length > 0)
        return {
          is: 'stored',
          name,
          index:
            depth > 0 && random.chance(30) ? this.#operand(scope, 0) : (index ?? this.#constant([0, 1, 2])),
          path: random.pick(paths),
        };
    }
    const readable = [...scope.names].filter(
      ([, { paths, is, outcome }]) => paths.length > 0 || outcome || is === 'change',
    );
    if (readable.length === 0) return { is: 'param', name: 'x' };
    const [name, { is, paths, outcome }] = random.pick(readable);
    if (is === 'change') return { is: 'changed', name };
    if (outcome !== undefined && (paths.length === 0 || random.chance(25)))
      return { is: random.pick(outcome), name };
    return { is: 'value', name, path: random.pick(paths) };
  }

  /** An expression whose value is a string or null. */
  #text(scope: Scope): Expr {
    const { random } = this;
    const found = pathsIn(scope, 'texts');
    if (found.length > 0 && random.chance(45)) return random.pick(found);
    const kind = random.below(100);
    if (kind < 45) return { is: 'param', name: 'z' };
    if (kind < 60) return { is: 'body', path: ['t'] };
    if (kind < 70) return { is: 'concat', parts: [this.#constant(texts), { is: 'param', name: 'id' }] };
    return this.#constant(texts);
  }

  /** An expression whose value is an integer, its digits, or null. */
  #whole(scope: Scope): Expr {
    const { random } = this;
    const found = pathsIn(scope, 'wholes');
    if (found.length > 0 && random.chance(50)) return random.pick(found);
    const rows = namesOf(scope, 'rows');
    const kind = random.below(100);
    if (rows.length > 0 && kind < 20)
      return { is: 'size', of: { is: 'value', name: random.pick(rows), path: [] } };
    if (kind < 55) return { is: 'param', name: 'id' };
    if (kind < 65) return { is: 'body', path: ['n'] };
    return this.#constant([1, 2, 3, 4, 5, 7]);
  }

  #ids(scope: Scope): Expr {
    const { random } = this;
    const rows = [...scope.names].filter(
      ([, { is, wholes }]) => is === 'rows' && wholes.some((path) => path[0] === 'id'),
    );
    if (rows.length > 0 && random.chance(60))
      return { is: 'value', name: random.pick(rows)[0], path: ['*', 'id'] };
    if (!this.#isPlain && random.chance(30))
      return { is: 'list', count: { is: 'constant', value: random.below(5) } };
    if (random.chance(50)) return { is: 'body', path: ['ids'] };
    return this.#whole(scope);
  }
}

/** The steps inside a loop that store results, and the readable parts of these. */
function storedIn(step: Step, results: ReadonlyMap<string, Readable>): [string, Readable][] {
  if (step.does !== 'loop') return [];
  return step.steps.flatMap((one): [string, Readable][] => {
    const result = results.get(one.name);
    const same = sameIndexes.find((index) => index === one.index);
    if (one.index === undefined || result === undefined) return storedIn(one, results);
    return [[one.name, { ...result, ...(same === undefined ? {} : { index: same }) }]];
  });
}

/** The paths of all columns, of string columns, and of integer columns. */
function pathsOf(columns: readonly string[]): Omit<Readable, 'is'> {
  const some = (wanted: ReadonlySet<string>): Path[] =>
    columns.filter((one) => wanted.has(one)).map((one) => [one]);
  return { paths: columns.map((column) => [column]), texts: some(textColumns), wholes: some(wholeColumns) };
}

function columnsOf(readable: Readable | undefined): string[] {
  return (readable?.paths ?? []).flatMap((path) => (path.length === 1 ? [String(path[0])] : []));
}

function namesOf({ names }: Scope, wanted: 'rows' | 'page'): string[] {
  return [...names].flatMap(([name, { is }]) =>
    is === wanted || (wanted === 'rows' && is === 'page') ? [name] : [],
  );
}

function pathsIn({ names }: Scope, kind: 'texts' | 'wholes'): Expr[] {
  return [...names].flatMap(([name, readable]) =>
    readable[kind].map((path): Expr => ({ is: 'value', name, path })),
  );
}

function randomRequests({ method }: Operation, random: Random): Request[] {
  const text = (): string => random.pick(random.chance(15) ? odd : texts);
  // Most requests read successive pages in the same order.
  const sort = random.pick(Object.keys(orders));
  return random.some(requestsPerCase, (at) => {
    // Databases differ after odd requests, so these come last.
    const isOdd = at >= requestsPerCase - 2;
    const query: (readonly [string, string])[] = [
      ...(random.chance(60)
        ? [['x', random.pick(['1', '2', '9.90', '2026-01-01T09:00:00Z', text()])] as const]
        : []),
      ...(random.chance(10) ? [['x', text()] as const] : []),
      ...(random.chance(50) ? [['y', text()] as const] : []),
      ...(random.chance(65) ? [['z', text()] as const] : []),
      ...(random.chance(85) ? [['sort', random.chance(95) ? sort : 'other'] as const] : []),
      ...(random.chance(85) ? [['after', random.chance(95) ? lastNext : 'wrong'] as const] : []),
      ...(isOdd && random.chance(20)
        ? [['z', random.pick(['\0', 'y'.repeat(21), 'a\nb', '\u{10ffff}'])] as const]
        : []),
    ];
    return {
      id: isOdd
        ? random.pick(['a', '1abc', '1.5', '99999999999', '1'])
        : random.pick(['1', '2', '3', '5', '7', '0', '-1']),
      query,
      header: {
        ...(random.chance(30) ? { 'X-Kind': random.pick(['a', '1', 'true']) } : {}),
        ...(random.chance(20) ? { 'If-None-Match': lastTag } : {}),
      },
      ...(method === 'POST' && random.chance(85)
        ? {
            body:
              isOdd && random.chance(50)
                ? random.pick<Json>(['a', 1, [1, 'x'], { n: 'x', ids: 'x', list: 7, t: [1] }])
                : randomBody(random, text),
          }
        : {}),
      ...(isOdd ? { isOdd: true as const } : {}),
    };
  });
}

function randomBody(random: Random, text: () => string): Json {
  const maybe = (name: string, value: () => Json): Record<string, Json> =>
    random.chance(80) ? { [name]: value() } : {};
  return {
    ...maybe('n', () => random.below(5)),
    ...maybe('t', text),
    ...maybe('ids', () => random.pick<Json>([[], [1], [1, 2, 5], [3, 3, 7], 2])),
    ...maybe('list', () =>
      random.pick<Json>([[], [1, 'a', null], ['b'], [{ name: 'a' }, { name: 'b', n: 1 }], null]),
    ),
    ...maybe('map', () => random.pick<Json>([{}, { a: 1 }, { b: { name: 'x' }, a: 'a' }])),
    ...maybe('rows', () => random.pick<Json>([[{ id: 1, name: 'a' }], [{ id: 2 }, { id: 1 }], null])),
  };
}
