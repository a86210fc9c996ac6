/** Caches facts about operations between compilations, until something changes on which they depend. */
import type { Config, Datasource, Operation } from '../../read/config/config-model.js';
import { deferredIn, referencesOf } from '../../read/config/walk.js';
import type { ApiDescription } from '../../read/openapi/api-model.js';
import { MovingSpan, type Anchor, type Span } from '../../read/source.js';
import type { DescribeResult } from '../../read/sql/statement-description.js';
import { Analysis, type Beside } from './analysis.js';
import {
  noDescriptions,
  type AskedStatement,
  type StatementDescriptions,
} from './statements/statement-descriptions.js';

/** The spans of errors, by the part of the file that contains the operation. */
type ErrorSpans = ReadonlyMap<Anchor, readonly MovingSpan[]>;

export class AnalysesCache {
  #sharedParts: object | undefined;
  #description: ApiDescription | undefined;
  #beside = { headers: '', thirdParties: [] as unknown[] };
  /** Groups, keyed by their first operation. */
  #groups: ReadonlyMap<Operation, Group> = new Map();
  readonly #databases = new KnownDatabases();

  /**
   * The groups of operations that call each other. `sharedParts` keeps its identity as long as everything else in the file is unchanged.
   */
  groups(
    config: Config,
    sharedParts: object,
    description: ApiDescription | undefined,
    beside: Beside,
  ): KeptGroups {
    const headers = [...beside.ownHeaders].join('\n');
    const thirdParties = [...beside.thirdParties.values()];
    const isSame =
      sharedParts === this.#sharedParts &&
      description === this.#description &&
      headers === this.#beside.headers &&
      thirdParties.length === this.#beside.thirdParties.length &&
      thirdParties.every((one, index) => one === this.#beside.thirdParties[index]);
    const known = isSame ? this.#groups : new Map<Operation, Group>();
    const groups = groupsOf(config.operations).map(([first, ...others]) => {
      const group = known.get(first);
      return group?.isOf([first, ...others]) === true
        ? group
        : new Group(config, [first, ...others], description, beside);
    });
    this.#sharedParts = sharedParts;
    this.#description = description;
    this.#beside = { headers, thirdParties };
    this.#groups = new Map(groups.map((group) => [group.first, group]));
    return new KeptGroups(config, description, groups, beside, this.#databases);
  }
}

/** Assigns a number to the databases' reports (except those about statements); equal reports get equal numbers. */
class KnownDatabases {
  #text = '';
  #state = 0;

  stateOf(datasources: readonly Datasource[], known: StatementDescriptions): number {
    const reported = datasources.map((one) => [
      known.tables(one),
      known.isWhole(one),
      known.functionsOfOwner(one),
    ]);
    const text = JSON.stringify(reported);
    if (text !== this.#text) this.#state += 1;
    this.#text = text;
    return this.#state;
  }
}

/** The operations of a configuration, in groups. */
export class KeptGroups {
  constructor(
    private readonly config: Config,
    private readonly description: ApiDescription | undefined,
    private readonly groups: readonly Group[],
    private readonly beside: Beside,
    private readonly databases: KnownDatabases,
  ) {}

  /** The questions for databases, in file order. */
  questions(): AskedStatement[] {
    const byOperation = new Map(this.groups.flatMap((group) => [...group.questions]));
    return this.config.operations.flatMap((operation) => byOperation.get(operation) ?? []);
  }

  analysis(errorSpans: readonly Span[], descriptions: StatementDescriptions): Analysis {
    const { config, description, groups, beside } = this;
    const own = byAnchor(errorSpans);
    const state = this.databases.stateOf(config.datasources, descriptions);
    const analyses = groups.map((group) => group.analysis(own, descriptions, state));
    return new Analysis(config, description, errorSpans, descriptions, analyses, beside);
  }
}

/** A group of operations that call each other, directly or indirectly. */
class Group {
  readonly first: Operation;
  #questions: ReadonlyMap<Operation, readonly AskedStatement[]> | undefined;
  #known: { readonly key: string; readonly analysis: Analysis } | undefined;
  readonly #config: Config;

  constructor(
    config: Config,
    private readonly operations: readonly [Operation, ...Operation[]],
    private readonly description: ApiDescription | undefined,
    private readonly beside: Beside,
  ) {
    const [first] = operations;
    this.first = first;
    // Drop the text, which changes with every edit.
    this.#config = { ...config, operations, source: { path: config.source.path, text: '' }, included: [] };
  }

  isOf(operations: readonly Operation[]): boolean {
    return (
      operations.length === this.operations.length &&
      operations.every((operation, index) => operation === this.operations[index])
    );
  }

  get questions(): ReadonlyMap<Operation, readonly AskedStatement[]> {
    this.#questions ??= this.#ask();
    return this.#questions;
  }

  #ask(): ReadonlyMap<Operation, readonly AskedStatement[]> {
    return (this.#known?.analysis ?? new Analysis(this.#config, this.description, [])).questionsByOperation();
  }

  /** `state` is the number of the databases' state. */
  analysis(errorSpans: ErrorSpans, descriptions: StatementDescriptions, state: number): Analysis {
    const inside = this.operations.flatMap(({ name: { span } }) =>
      span instanceof MovingSpan ? (errorSpans.get(span.anchor) ?? []) : [],
    );
    const described = this.#descriptions(descriptions);
    const key = JSON.stringify([inside.map(({ from, to }) => [from, to]), described.key, state]);
    if (this.#known?.key !== key)
      this.#known = {
        key,
        analysis: new Analysis(
          this.#config,
          this.description,
          inside,
          described.descriptions,
          undefined,
          this.beside,
        ),
      };
    return this.#known.analysis;
  }

  /** Descriptions for the group's own statements; schema errors belong to the whole configuration. */
  #descriptions(descriptions: StatementDescriptions): {
    readonly key: unknown;
    readonly descriptions: StatementDescriptions;
  } {
    if (descriptions === noDescriptions) return { key: undefined, descriptions };
    const statements = [...this.questions.values()].flat().map(({ statement }) => statement);
    const described = statements.map((statement) => descriptions.of(statement));
    if (described.every((one) => one === undefined)) return { key: undefined, descriptions: noDescriptions };
    const byStatement = new Map(statements.map((statement, index) => [statement, described[index]]));
    return {
      key: described.map((one) => (one === undefined ? null : textOf(one.result))),
      descriptions: {
        ...noDescriptions,
        of: (statement) => byStatement.get(statement),
        isWhole: (datasource) => descriptions.isWhole(datasource),
        tables: (datasource) => descriptions.tables(datasource),
        functionsOfOwner: (datasource) => descriptions.functionsOfOwner(datasource),
      },
    };
  }
}

/** Serialized results, cached because a database returns the same object again. */
const texts = new WeakMap<DescribeResult, string>();

function textOf(result: DescribeResult): string {
  const known = texts.get(result);
  if (known !== undefined) return known;
  const text = JSON.stringify(result);
  texts.set(result, text);
  return text;
}

function byAnchor(errorSpans: readonly Span[]): ErrorSpans {
  const found = new Map<Anchor, MovingSpan[]>();
  for (const span of errorSpans) {
    if (!(span instanceof MovingSpan)) continue;
    const others = found.get(span.anchor);
    if (others === undefined) found.set(span.anchor, [span]);
    else others.push(span);
  }
  return found;
}

/** The groups and the operations in each, in file order. Operation names must be unique. */
function groupsOf(operations: readonly Operation[]): (readonly [Operation, ...Operation[]])[] {
  const byName = new Map(operations.map((operation) => [operation.name.value, operation]));
  const leaders = new Map<Operation, Operation>();
  const leaderOf = (operation: Operation): Operation => {
    let leader = operation;
    for (let next = leaders.get(leader); next !== undefined; next = leaders.get(leader)) leader = next;
    // Path compression.
    if (leader !== operation) leaders.set(operation, leader);
    return leader;
  };
  for (const operation of operations) {
    for (const { operationName } of [...referencesOf(operation), ...deferredIn(operation.fulfillments)]) {
      const called = byName.get(operationName.value);
      if (called === undefined) continue;
      const [one, other] = [leaderOf(operation), leaderOf(called)];
      if (one !== other) leaders.set(one, other);
    }
  }
  const groups = new Map<Operation, [Operation, ...Operation[]]>();
  for (const operation of operations) {
    const leader = leaderOf(operation);
    const group = groups.get(leader);
    if (group === undefined) groups.set(leader, [operation]);
    else group.push(operation);
  }
  return [...groups.values()];
}
