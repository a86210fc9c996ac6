/** Valid random services, and requests for them; the same seed yields the same services. */
import { Random } from '../helpers/random.js';
import type {
  Expr,
  Fulfillment,
  Json,
  Operation,
  Operator,
  Request,
  Schema,
  Service,
  Statement,
  Template,
} from './language.js';

/** The kind of value of a name at a position. */
type Meaning = 'rows' | 'changed' | 'row' | 'number' | 'any';

interface ValueScope {
  readonly names: ReadonlyMap<string, Meaning>;
  readonly element: Meaning | undefined;
  /** Names of fulfillments with results stored under an index, and the kinds of results. */
  readonly stored: ReadonlyMap<string, Meaning>;
}

const operators: readonly Operator[] = ['==', '!=', '<', '<=', '>', '>='];
const equality: readonly Operator[] = ['==', '==', '!='];
const constants: readonly (string | number | boolean | null)[] = [
  ...['a', 'b', 'c', '1', '2', 'true', ''],
  ...['2026-01-01T09:00:00Z', '2026-01-01T10:00:00.50+01:00'],
  ...[0, 1, 2, 7, -1, 1.5],
  ...[true, false, null],
];
const columns = ['id', 'name', 'n', 'note', 'flag', 'missing'];
const plainNames = ['news', 'item', 'list', 'row', 'f', 'reply', 'data'];
/** Names that handlers declare and import, and TypeScript keywords. */
const oddNames = [
  ...['row', 'Row', 'call', 'Call', 'json', 'Json', 'operation', 'get', 'equal', 'fail', 'reply', 'size'],
  ...[
    'class',
    'await',
    'undefined',
    'constructor',
    'element',
    'items',
    'elements',
    'Item',
    'item_row',
    'itemRow',
  ],
  ...[
    'select',
    'first',
    'textOf',
    'postgresql',
    'mariadb',
    'list',
    'object',
    'string',
    'Reply',
    'JsonObject',
  ],
];
/** Paths used to read a typed body: every field, and some nested ones. */
const typedPaths: readonly (readonly (string | number)[])[] = [
  ...[['n'], ['n'], ['maybe'], ['t'], ['kind'], ['kind'], ['flag'], ['off'], ['list'], ['map', 'a'], ['map']],
  ...[['tags'], ['tags', 0], ['tags', -1], ['list', 0], ['list', 0, 'name']],
  ...[
    ['rows'],
    ['rows', 0, 'id'],
    ['rows', -1, 'name'],
    ['rows', '*', 'name'],
    ['rows', 1],
    ['rows', 'name'],
  ],
  ...[['who'], ['who', 'name'], ['who', 'home'], ['who', 'home', 'town'], ['who', 'home', 'constructor']],
];
/** Date-times; the first two are the same instant. */
const times = ['2026-01-01T09:00:00Z', '2026-01-01T10:00:00+01:00', '2026-01-01T09:00:00.5Z', '2026-01-01'];

const texts: readonly string[] = ['a', 'b', 'new', 'true'];

export function randomService(number: number, seed: number): Service {
  return new Maker(number, new Random(seed)).service();
}

class Maker {
  #count = 0;
  /** Operations that can be called, with their models. */
  readonly #operations: Operation[] = [];
  #syntax: 'A' | 'B' = 'A';

  constructor(
    private readonly number: number,
    private readonly random: Random,
  ) {}

  service(): Service {
    const { random } = this;
    const database = random.chance(70) ? 'postgresql' : 'mariadb';
    const isDescribed = random.chance(25);
    this.isTyped = random.chance(50);
    this.hasTypedBody = this.isTyped && isDescribed;
    this.database = database;
    for (let at = 0; at < 2 + random.below(3); at += 1) this.#operations.push(this.#operation(at));
    return {
      number: this.number,
      database,
      isDescribed,
      isTyped: this.isTyped,
      operations: [...this.#operations],
    };
  }

  private database: Service['database'] = 'postgresql';
  private isTyped = false;
  private hasTypedBody = false;
  /** Names of the operation's fulfillments. */
  #taken = new Set<string>();
  /** Expressions compared in earlier conditions of the operation, to be compared again. */
  #compared: Expr[] = [];

  #operation(at: number): Operation {
    const { random } = this;
    this.#count = 0;
    this.#taken = new Set();
    this.#compared = [];
    this.#syntax = random.chance(35) ? 'B' : 'A';
    const isCalled = at === 0 && random.chance(40);
    const path = `/s${this.number}/o${at}/{id}`;
    const name = isCalled ? `s${this.number} called` : `${random.chance(50) ? 'GET' : 'POST'} ${path}`;
    const names = new Map<string, Meaning>();
    const stored = new Map<string, Meaning>();
    const fulfillments = this.#fulfillments(1 + random.below(4), { names, element: undefined, stored }, 0);
    const end: ValueScope = { names, element: undefined, stored };
    const conditional = random.some(random.below(3), (index) => ({
      name: `r${index}`,
      if: this.#condition(end, 2),
      status: random.pick([200, 201, 404, 422]),
      ...(random.chance(80) ? { schema: this.#schema(end, 2) } : {}),
    }));
    const standard = { name: 'ok', status: 200, schema: this.#schema(end, 3) };
    return {
      ...{ name, syntax: this.#syntax, transaction: random.chance(25), fulfillments },
      responses: [...conditional, standard],
    };
  }

  #fulfillments(
    count: number,
    scope: { names: Map<string, Meaning>; element: Meaning | undefined; stored: Map<string, Meaning> },
    depth: number,
  ): Fulfillment[] {
    return this.random.some(count, () => {
      const { fulfillment, meaning } = this.#fulfillment(scope, depth);
      if (meaning !== undefined) scope.names.set(fulfillment.name, meaning);
      return fulfillment;
    });
  }

  #fulfillment(
    scope: { names: Map<string, Meaning>; element: Meaning | undefined; stored: Map<string, Meaning> },
    depth: number,
  ): { fulfillment: Fulfillment; meaning: Meaning | undefined } {
    const { random } = this;
    this.#count += 1;
    const name = this.#name();
    const condition = random.chance(30) ? { if: this.#condition(scope, 2) } : {};
    const isA = this.#syntax === 'A';
    const kind = random.below(100);
    if (isA && depth < 3 && kind < 28) {
      const { expr, element } = this.#listFor(scope);
      const inner = { names: new Map([...scope.names, [name, element]]), element, stored: scope.stored };
      const fulfillments = this.#fulfillments(1 + random.below(3), inner, depth + 1);
      const loopbreak = random.some(random.below(2), () => this.#condition(inner, 2));
      const exceptions = this.#exceptions(scope);
      return {
        fulfillment: {
          ...{ name, type: 'LOOP', loop: expr, fulfillments, loopbreak, exceptions },
          ...condition,
        },
        meaning: undefined,
      };
    }
    const called = this.#operations.filter(({ responses }) => responses.length > 0);
    const common = (meaning: Meaning) => {
      const after = { ...scope, names: new Map([...scope.names, [name, meaning]]) };
      const index = isA && depth > 0 && random.chance(50) ? { index: this.#operand(after, 1) } : {};
      if ('index' in index) scope.stored.set(name, meaning);
      return {
        ...{ name, exceptions: this.#exceptions(after) },
        loopbreak: isA && depth > 0 && random.chance(20) ? [this.#condition(after, 2)] : [],
        ...index,
        ...condition,
      };
    };
    if (isA && kind < 40 && called.length > 0) {
      const parameters: (readonly [string, Schema])[] = [
        ...(random.chance(50) ? [['x', { is: 'leaf', value: this.#operand(scope, 1) }] as const] : []),
        ...(random.chance(30) ? [['body', this.#schema(scope, 1)] as const] : []),
      ];
      const operation = random.pick(called).name;
      return { fulfillment: { type: 'reference', operation, parameters, ...common('any') }, meaning: 'any' };
    }
    const isUpdate = random.chance(30);
    const meaning = isUpdate ? 'changed' : 'rows';
    const choices = random.some(random.chance(25) ? 2 : 1, () => ({
      ...(random.chance(20) ? { if: this.#condition(scope, 2) } : {}),
      statement: isUpdate ? this.#update(scope) : this.#read(scope),
    }));
    return {
      fulfillment: { type: isUpdate ? 'UPDATE' : 'READ', choices, ...common(meaning) },
      meaning,
    };
  }

  #name(): string {
    const { random } = this;
    const wished = random.pick(this.isTyped ? oddNames : plainNames);
    const name = this.isTyped && !this.#taken.has(wished) ? wished : `${wished}${this.#count}`;
    this.#taken.add(name);
    return name;
  }

  #exceptions(scope: ValueScope): Fulfillment['exceptions'] {
    const { random } = this;
    const count = random.chance(35) ? 1 + random.below(3) : 0;
    return random.some(count, () => ({
      if: this.#condition(scope, 2),
      status: random.pick([400, 404, 409, 422]),
      message: this.#message(scope),
    }));
  }

  #message(scope: ValueScope): Template {
    return this.random.chance(40) ? ['because ', this.#operand(scope, 1), ' it is'] : ['not found'];
  }

  #read(scope: ValueScope): Statement {
    // The last two do not select all columns, so typed services skip them.
    const does = this.random.pick(
      (['all', 'all', 'by name', 'by id', 'in', 'none', 'count', 'constant'] as const).slice(
        0,
        this.isTyped ? -2 : undefined,
      ),
    );
    if (does === 'by name') return { does, value: this.#text(scope) };
    if (does === 'by id') return { does, value: this.#whole(scope) };
    if (does === 'in') return { does, value: this.#ids(scope) };
    return { does };
  }

  #update(scope: ValueScope): Statement {
    const does = this.random.pick(['log', 'log', 'log', 'bump', 'remove', 'add'] as const);
    if (does === 'add') return { does, id: 5 + this.random.below(4) };
    return { does, value: does === 'log' ? this.#text(scope) : this.#whole(scope) };
  }

  /** An expression whose value is a string or null. */
  #text(scope: ValueScope): Expr {
    const rows = namesOf(scope, 'rows');
    if (rows.length > 0 && this.random.chance(40))
      return { is: 'value', name: this.random.pick(rows), path: [this.random.pick(['name', 'note'])] };
    return this.random.chance(40)
      ? { is: 'param', name: 'z' }
      : { is: 'constant', value: this.random.pick(texts) };
  }

  /** An expression whose value is an integer or null. */
  #whole(scope: ValueScope): Expr {
    const { random } = this;
    const [rows, numbers] = [namesOf(scope, 'rows'), namesOf(scope, 'number')];
    if (numbers.length > 0 && random.chance(40)) return { is: 'value', name: random.pick(numbers), path: [] };
    if (rows.length > 0 && random.chance(50))
      return random.chance(50)
        ? { is: 'value', name: random.pick(rows), path: ['id'] }
        : { is: 'size', of: { is: 'value', name: random.pick(rows), path: [] } };
    return { is: 'constant', value: 1 + random.below(5) };
  }

  #ids(scope: ValueScope): Expr {
    const { random } = this;
    const rows = namesOf(scope, 'rows');
    if (rows.length > 0 && random.chance(60))
      return { is: 'value', name: random.pick(rows), path: ['*', 'id'] };
    if (this.#syntax === 'A' && random.chance(60))
      return { is: 'list', count: { is: 'constant', value: random.below(4) } };
    return this.#whole(scope);
  }

  #listFor(scope: ValueScope): { expr: Expr; element: Meaning } {
    const { random } = this;
    const rows = namesOf(scope, 'rows');
    const kind = random.below(100);
    if (rows.length > 0 && kind < 35)
      return { expr: { is: 'value', name: random.pick(rows), path: [] }, element: 'row' };
    if (this.#syntax === 'A' && kind < 60)
      return { expr: { is: 'list', count: { is: 'constant', value: random.below(4) } }, element: 'number' };
    if (kind < 75) return { expr: { is: 'body', path: ['list'] }, element: 'any' };
    if (kind < 85) return { expr: { is: 'body', path: ['map'] }, element: 'any' };
    if (this.#syntax === 'A' && kind < 90)
      return { expr: { is: 'list', count: { is: 'body', path: ['n'] } }, element: 'number' };
    if (kind < 93) {
      const expr = this.#operand(scope, 1);
      // The compiler refuses a value that cannot be a list.
      if (expr.is !== 'constant' && expr.is !== 'size') return { expr, element: 'any' };
    }
    return { expr: { is: 'body', path: ['rows'] }, element: 'any' };
  }

  #schema(scope: ValueScope, depth: number): Schema {
    const { random } = this;
    const kind = depth === 0 ? 99 : random.below(100);
    if (kind < 50) {
      const fields = random.some(
        1 + random.below(4),
        (at) => [`k${at}`, this.#schema(scope, depth - 1)] as const,
      );
      return { is: 'object', fields };
    }
    if (kind < 65) {
      const { expr, element } = this.#listFor(scope);
      return { is: 'list', list: expr, item: this.#schema({ ...scope, element }, depth - 1) };
    }
    return { is: 'leaf', value: random.chance(20) ? this.#condition(scope, 2) : this.#value(scope, 2) };
  }

  #condition(scope: ValueScope, depth: number): Expr {
    const { random } = this;
    const kind = random.below(100);
    if (depth > 0 && kind < 14)
      return { is: 'and', left: this.#condition(scope, depth - 1), right: this.#condition(scope, depth - 1) };
    if (depth > 0 && kind < 28)
      return { is: 'or', left: this.#condition(scope, depth - 1), right: this.#condition(scope, depth - 1) };
    if (depth > 0 && kind < 36) return { is: 'not', of: this.#condition(scope, depth - 1) };
    if (kind < 42) return this.#operand(scope, 1);
    const operator = random.chance(65) ? random.pick(equality) : random.pick(operators);
    const known = this.#compared.filter((one) => isReadable(one, scope));
    const left = known.length > 0 && random.chance(45) ? random.pick(known) : this.#value(scope, 1);
    if (this.isTyped) this.#compared.push(left);
    const right: Expr = random.chance(75)
      ? { is: 'constant', value: random.pick(constants) }
      : this.#value(scope, 1);
    return random.chance(85)
      ? { is: 'compare', operator, left, right }
      : { is: 'compare', operator, left: right, right: left };
  }

  /** An operand, or an expression of several operands. */
  #value(scope: ValueScope, depth: number): Expr {
    const { random } = this;
    const kind = random.below(100);
    if (kind >= 20) return this.#operand(scope, depth);
    const parts = random.some(1 + random.below(3), () => this.#operand(scope, depth));
    return { is: kind < 15 ? 'coalesce' : 'concat', parts };
  }

  #operand(scope: ValueScope, depth: number): Expr {
    const { random } = this;
    const isA = this.#syntax === 'A';
    const kind = random.below(100);
    if (kind < 12) return { is: 'param', name: random.pick(['x', 'x', 'y', 'id']) };
    if (kind < 20 || (this.hasTypedBody && kind < 35))
      return {
        is: 'body',
        path: random.pick(
          this.hasTypedBody ? typedPaths : [['n'], ['t'], ['list'], ['map', 'a'], ['list', 0]],
        ),
      };
    if (isA && kind < 23) return { is: 'body', path: [] };
    if (kind < 28 || scope.names.size === 0)
      return isA || random.chance(80)
        ? { is: 'constant', value: random.pick(constants.filter((one) => one !== null)) }
        : { is: 'param', name: 'x' };
    if (depth > 0 && kind < 40) {
      const of = this.#operand({ ...scope, element: isA ? scope.element : undefined }, 0);
      return isA || ['param', 'body', 'value'].includes(of.is) ? { is: 'size', of } : of;
    }
    if (isA && kind < 44 && depth > 0)
      return { is: 'list', count: { is: 'constant', value: random.below(4) } };
    if (scope.element !== undefined && kind < 58) return { is: 'element', path: this.#path(scope.element) };
    if (isA && scope.stored.size > 0 && kind < 64) {
      const [name, meaning] = random.pick([...scope.stored]);
      return { is: 'stored', name, index: this.#operand(scope, 0), path: this.#path(meaning) };
    }
    const [name, meaning] = random.pick([...scope.names]);
    const path = this.#path(meaning);
    // In Syntax B, a name with an empty path is the result itself.
    return { is: 'value', name, path };
  }

  #path(meaning: Meaning): (string | number)[] {
    const { random } = this;
    const column = random.pick(this.isTyped ? columns.slice(0, -1) : columns);
    switch (meaning) {
      case 'rows':
        return random.pick<(string | number)[]>([
          [],
          [],
          [column],
          [column],
          [0],
          [0, column],
          [-1, column],
          [1],
          ['*', column],
          [column, 'deep'],
        ]);
      case 'changed':
        return this.database === 'mariadb' ? ['affected_rows'] : [this.isTyped ? 'svc' : 'name'];
      case 'row':
        return random.pick<(string | number)[]>([[column], [column], []]);
      case 'number':
        return random.chance(90) ? [] : [column];
      case 'any':
        return random.pick<(string | number)[]>([[], ['k0'], ['key'], ['val'], ['k1', 'k0'], [0], ['name']]);
    }
  }
}

/** Whether an expression from an earlier condition can be read at another position. */
function isReadable(expr: Expr, { names }: ValueScope): boolean {
  switch (expr.is) {
    case 'param':
    case 'body':
      return true;
    case 'value':
      return names.has(expr.name);
    case 'size':
      return isReadable(expr.of, { names, element: undefined, stored: new Map() });
    case 'concat':
    case 'coalesce':
      return expr.parts.every((part) => isReadable(part, { names, element: undefined, stored: new Map() }));
    default:
      return false;
  }
}

function namesOf({ names }: ValueScope, meaning: Meaning): string[] {
  return [...names].flatMap(([name, one]) => (one === meaning ? [name] : []));
}

/** Requests for the endpoints of a service. */
export function randomRequests(service: Service, count: number, seed: number): Request[] {
  const random = new Random(seed);
  const endpoints = service.operations.filter(({ name }) => / \//.test(name));
  if (endpoints.length === 0) return [];
  return random.some(count, () => {
    const operation = random.pick(endpoints).name;
    const query: (readonly [string, string])[] = [];
    const values = ['1', '2', '7', 'a', 'b', 'true', '', '1.0', '-1', ...times];
    if (random.chance(60))
      query.push([
        'x',
        service.isDescribed && random.chance(80) ? random.pick(['1', '2', '7']) : random.pick(values),
      ]);
    if (random.chance(15)) query.push(['x', random.pick(values)]);
    if (random.chance(60)) query.push(['y', random.pick(values)]);
    if (random.chance(50)) query.push(['z', random.pick(texts)]);
    const body = operation.startsWith('POST') && random.chance(80) ? bodyFor(service, random) : undefined;
    return { operation, id: random.pick(['1', '2', 'a']), query, body };
  });
}

function bodyFor({ isTyped, isDescribed }: Service, random: Random): Json {
  return isTyped && isDescribed ? randomTypedBody(random) : randomBody(random);
}

function randomTypedBody(random: Random): Json {
  const maybe = (name: string, value: () => Json): Record<string, Json> =>
    random.chance(70) ? { [name]: value() } : {};
  const town = random.pick(['a', 'b', '1']);
  return {
    n: random.below(4),
    maybe: random.pick([null, 0, 1.5, 2]),
    ...maybe('t', () => random.pick(['a', 'b', 'true', '1', ...times])),
    ...maybe('kind', () => random.pick(['a', 'b', 'c'])),
    ...maybe('flag', () => random.chance(50)),
    ...maybe('off', () => random.pick([true, false, null])),
    ...maybe('list', () =>
      random.pick<Json>([[], [1, 'a', null], ['b'], [{ name: 'a' }, { name: 'b', n: 1 }]]),
    ),
    ...maybe('map', () => random.pick<Json>([{}, { a: 1 }, { b: { name: 'x' }, a: 'a' }])),
    ...maybe('tags', () => random.pick<Json>([[], ['a'], ['b', 'true']])),
    ...maybe('rows', () =>
      random.pick<Json>([[{ id: 1, name: 'a' }], [{ id: 2 }, { id: 1, name: null }], [], null]),
    ),
    who: { name: random.pick(['a', 'b', '1']), ...maybe('home', () => random.pick([null, { town }])) },
  };
}

function randomBody(random: Random): Json {
  if (random.chance(12)) return random.pick<Json>(['a', 'b', 1, true, null, [1, 2]]);
  return {
    ...(random.chance(80) ? { n: random.below(4) } : {}),
    ...(random.chance(80) ? { t: random.pick(['a', 'b', 'true', '1', ...times]) } : {}),
    ...(random.chance(80)
      ? { list: random.pick<Json>([[], [1, 'a', null], ['b'], [{ name: 'a' }, { name: 'b', n: 1 }]]) }
      : {}),
    ...(random.chance(80) ? { map: random.pick<Json>([{}, { a: 1 }, { b: { name: 'x' }, a: 'a' }]) } : {}),
    ...(random.chance(50)
      ? { rows: random.pick<Json>([[{ id: 1, name: 'a' }], [{ id: 2 }, { id: 1 }], null]) }
      : {}),
  };
}
