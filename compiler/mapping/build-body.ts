/** Builds the body of a response from its schema and the mappings of the models in it (decisions 8.1 to 8.3). */
import { allFulfillments } from '../config/walk.js';
import type { Mapping, Operation } from '../config/config-model.js';
import type { Sink } from '../diagnostics/findings.js';
import type { Expression } from '../expression/ast.js';
import { ownType, type OwnType } from '../expression/own-type.js';
import { visit } from '../expression/visit.js';
import type { ApiSchema, ApiType } from '../openapi/api-model.js';
import { partOf, type Span } from '../source.js';
import type { Body, BodyField, BuiltRow, RowSource } from './body-parts.js';
import { columnOf, entriesOfItem, entriesOfObject, namesRead, type Fields } from './entries.js';
import { JoinGraph } from './join-graph.js';
import type { Join } from './written-joins.js';
import type { Level } from './object-level.js';
import { likelyJoin } from './likely-join.js';
import { ModelSearch } from './model-search.js';
import { RowFinder } from './row-finder.js';
import { shapeOf, type ListShape, type ObjectShape, type Subject } from './shape.js';

/** What is being built around a position of the body. */
interface BodyContext {
  /** What the objects around are built from, the innermost first. */
  readonly levels: readonly Level[];
  /** The object for which an enclosing item uses the innermost rows. */
  readonly owner: Subject | undefined;
  /** How many models without a mapping may still be built around mapped ones. */
  readonly wrappers: number;
  /** The models and other objects that are being built, the outermost first. */
  readonly subjects: readonly Subject[];
  /** The mapping, or the schema without one, that the position belongs to. */
  readonly span: Span;
}

/** A page and what is on it, around the first mapped model; inside one only objects without a name are built without a mapping. */
const maxWrappers = 2;

/** So many objects of code for the responses of one operation. */
const maxObjects = 1000;

export class BodyBuilder {
  readonly usedMappings = new Set<Mapping>();
  readonly #rows: RowFinder;
  #objects = 0;
  readonly #search: ModelSearch;
  /** Those of the fulfillments. */
  readonly #names: ReadonlySet<string>;

  constructor(
    private readonly operation: Operation,
    /** By the name of the model as its schema has it. */
    private readonly mappings: ReadonlyMap<string, Mapping>,
    private readonly joins: readonly Join[],
    private readonly report: Sink,
  ) {
    const fulfillments = allFulfillments(operation.fulfillments);
    this.#names = new Set(fulfillments.map(({ fulfillment }) => fulfillment.name.value));
    this.#rows = new RowFinder(new JoinGraph(joins), report);
    this.#search = new ModelSearch((name) => this.mappings.has(name));
  }

  /** The joins that bodies follow. */
  get usedJoins(): ReadonlySet<Join> {
    return this.#rows.usedJoins;
  }

  /** The body; undefined when no mapped model is in it. */
  build(schema: ApiSchema): Body | undefined {
    return this.#schema(schema, {
      levels: [],
      owner: undefined,
      wrappers: maxWrappers,
      subjects: [],
      span: schema.span,
    });
  }

  #schema(schema: ApiSchema, context: BodyContext): Body | undefined {
    if (!this.#search.holdsModel(schema, context.wrappers)) return undefined;
    const shape = shapeOf(schema);
    if (shape.kind === 'list') return this.#list(shape, context);
    return this.#object(shape, { ...context, span: this.#spanOf(shape, schema) }, false);
  }

  #list({ items, isNested }: ListShape, context: BodyContext): Body | undefined {
    const shape = shapeOf(items);
    if (isNested || shape.kind === 'list') {
      this.#unclear('a list of lists', context);
      return undefined;
    }
    return this.#object(shape, { ...context, span: this.#spanOf(shape, items) }, true);
  }

  /** A mapped model is spoken of where it is mapped, another object where it is described. */
  #spanOf({ models }: ObjectShape, schema: ApiSchema): Span {
    const mapping = models.flatMap((name) => this.mappings.get(name) ?? [])[0];
    return mapping?.model.span ?? schema.span;
  }

  #object(shape: ObjectShape, outside: BodyContext, isItem: boolean): Body | undefined {
    const wrappers = this.#search.wrappersInside(shape, outside.wrappers);
    const context = { ...outside, wrappers, subjects: [...outside.subjects, shape.subject] };
    if (this.#isTooLarge(context)) return undefined;
    for (const { keyword, schema } of shape.open) {
      if (this.#search.holdsModel(schema, wrappers)) this.#unclear(`'${keyword}'`, context);
    }
    const source = this.#source(shape, context, isItem);
    if (source === undefined && isItem) {
      // An unreadable field may be the one that determines it.
      const isRead = ![...this.#mappedFields(shape).values()].includes(undefined);
      if (isRead)
        this.report.add('no-entries', context.span, {
          model: shape.models[0],
          field: [...shape.properties.keys()][0],
          source: this.#names.size === 1 ? [...this.#names].join('') : undefined,
        });
      return undefined;
    }
    if (source?.level !== undefined && source.row === undefined) {
      const models = [modelName(context.subjects.at(-1)), modelName(context.subjects.at(-2))] as const;
      this.#checkReach(source.level.first.of, context, models);
      if (isItem) this.#checkJoin(source.level.first.of, context, models);
    }
    const inside =
      source?.level === undefined
        ? context
        : { ...context, levels: [source.level, ...context.levels], owner: source.owner };
    const fields = this.#fields(shape, inside);
    // Nothing is left of an object that is only there for what is in it.
    if (fields.length === 0 && !this.#isMapped(shape)) return undefined;
    const item: Body = { kind: 'object', fields };
    if (source?.row !== undefined) return { kind: 'row', row: source.row, item };
    if (source?.level === undefined) return isItem ? { kind: 'single', item } : item;
    const { first, others } = source.level;
    return {
      kind: 'entries',
      take: isItem ? 'every' : 'first',
      of: [first, ...others],
      item,
      model: shape.models[0],
    };
  }

  /**
   * What the object is built from: rows of its own (`level`), a row that is there (`row`), or what the objects around are built from
   * (neither). Undefined for an object whose fields are mapped from no fulfillment.
   */
  #source(shape: ObjectShape, context: BodyContext, isItem: boolean): Source | undefined {
    const { levels, owner, subjects, span } = context;
    // An item gets its rows from the fields of an object in it: the object belongs to these rows.
    if (!isItem && levels.length > 0 && owner === shape.subject) return { owner };
    const fieldsOf = (inside: ObjectShape): Fields => this.#mappedFields(inside);
    const outside = new Set(subjects.slice(0, -1));
    const entries = isItem ? entriesOfItem(shape, fieldsOf, outside) : entriesOfObject(shape, fieldsOf);
    const [name] = entries.names;
    if (name === undefined) return undefined;
    const isAround = levels.some(({ first }) => first.row.fulfillment === name);
    if (!isItem && isAround) return { owner: entries.owner };
    const joined = this.#rows.join(entries, levels, span);
    if (joined === undefined) return { owner: entries.owner };
    const [first, ...others] = joined;
    const row = isItem ? undefined : first.of.row;
    const level =
      row === undefined
        ? { first, others, isRepeated: isItem }
        : // If it is null there is no object.
          { first: { row: { ...row, isOptional: false }, of: first.of }, others: [], isRepeated: false };
    return { owner: entries.owner, level, row };
  }

  /** The fields of the object that are mapped, in the order of the mapping; undefined for an unreadable one. */
  #mappedFields({ models, properties }: ObjectShape): Fields {
    const found = new Map<string, Expression | undefined>();
    for (const name of models) {
      const mapping = this.mappings.get(name);
      if (mapping === undefined) continue;
      this.usedMappings.add(mapping);
      for (const { field, value } of mapping.fields) {
        if (properties.has(field.value) && !found.has(field.value)) found.set(field.value, value);
      }
    }
    return found;
  }

  #fields(shape: ObjectShape, context: BodyContext): BodyField[] {
    const mapped = this.#mappedFields(shape);
    const missing: { name: string; model: string | undefined }[] = [];
    const fields = [...shape.properties].flatMap(([key, schema]): BodyField[] => {
      const isRequired = shape.required.has(key);
      if (!mapped.has(key)) {
        const cycle = this.#cycle(schema, context);
        if (cycle !== undefined) {
          const parameters = { field: key, cycle };
          if (isRequired) this.report.add('endless-model', context.span, parameters);
          else this.report.add('cyclic-model', context.span, parameters);
          return [];
        }
        const value = this.#schema(schema, context);
        if (value !== undefined) return [{ key, value }];
        if (isRequired) missing.push({ name: key, model: nameOf(objectIn(schema)) });
        return [];
      }
      const expression = mapped.get(key);
      return expression === undefined ? [] : [{ key, value: this.#value(expression, schema, context) }];
    });
    const isUnread = shape.models.some((name) => this.mappings.get(name)?.isUnread === true);
    if (missing.length > 0 && !isUnread) {
      const model = shape.models.find((name) => this.mappings.has(name)) ?? shape.models[0];
      const isMapped = model !== undefined && this.mappings.has(model);
      const operation = this.operation.name.value;
      const span = isMapped ? context.span : (shape.requiredSpan ?? context.span);
      this.report.add('required-not-mapped', span, {
        model,
        isMapped,
        operation,
        fields: missing,
        source: [...this.#names][0],
      });
    }
    return fields;
  }

  #value(expression: Expression, schema: ApiSchema, context: BodyContext): Body {
    const { levels, span } = context;
    const [inner] = levels;
    const isAround = (name: string): boolean => levels.some(({ first }) => first.row.fulfillment === name);
    const column = columnOf(expression, schema);
    if (column !== undefined && !isAround(column.name)) {
      const of = this.#rows.find(column.name, levels, span);
      this.#checkJoin(of, { ...context, span: expression.span }, [
        undefined,
        modelName(context.subjects.at(-1)),
      ]);
      return { kind: 'column', of, path: column.path };
    }
    const type = certainTypes[ownType(expression)];
    const isKnown = expression.kind !== 'result' || this.#names.has(expression.name);
    if (isKnown && type !== undefined && schema.types?.some((one) => accepts(type, one)) === false)
      this.report.add('mapped-type', expression.span, { type, types: schema.types });
    const reads = namesRead(expression).map((name) => this.#rows.find(name, levels, span));
    visit(expression, (node) => {
      const isList = node.kind === 'result' || (node.kind === 'value' && node.path[0]?.kind !== 'name');
      if (isList && inner !== undefined && !isBuiltFrom(inner, node.name) && isAround(node.name))
        this.report.add('list-around', node.span, { name: node.name, inner: inner.first.row.fulfillment });
    });
    return { kind: 'value', value: expression, reads };
  }

  /** Where there may be several objects around, all of them get all entries of a fulfillment to which no join leads. */
  #checkJoin(
    { fulfillment, row, steps }: RowSource,
    { levels, span }: BodyContext,
    [model, owner]: Models,
  ): void {
    const [inner] = levels;
    if (inner === undefined || row !== undefined || steps.length > 0) return;
    if (!levels.some(({ isRepeated }) => isRepeated)) return;
    const outer = { fulfillment: inner.first.row.fulfillment, model: owner };
    const join = likelyJoin(this.operation, this.joins, { fulfillment, model }, outer);
    this.report.add('join-missing', span, {
      ...{ model, fulfillment, outer: owner, inner: outer.fulfillment, join },
      hasJoin: this.#hasJoin(fulfillment),
    });
  }

  /** An author of a comment who is that of the news around: where no join leads from the innermost entry, that may not be meant. */
  #checkReach(
    { fulfillment, start, steps }: RowSource,
    { levels, span }: BodyContext,
    [model, owner]: Models,
  ): void {
    const [inner] = levels;
    const [first] = steps;
    const last = steps.at(-1);
    const [outer] = start;
    if (inner === undefined || first === undefined || last === undefined || outer === undefined) return;
    if (isBuiltFrom(inner, outer.fulfillment)) return;
    this.report.add('entry-of-outer', span, {
      ...{
        model,
        owner,
        fulfillment,
        inner: inner.first.row.fulfillment,
        outer: first.from,
        key: last.keys[0]?.to,
      },
      likely: steps.length === 1 ? first.keys[0]?.from : undefined,
      hasJoin: this.#hasJoin(inner.first.row.fulfillment),
    });
  }

  /** Whether joins are written in the fulfillment. */
  #hasJoin(name: string): boolean {
    return this.operation.fulfillments.some(
      (one) => one.name.value === name && 'join' in one && one.join.length > 0,
    );
  }

  /** The models from the repeated one on; undefined if the schema is not being built. */
  #cycle(schema: ApiSchema, { subjects, wrappers }: BodyContext): string[] | undefined {
    if (!this.#search.holdsModel(schema, wrappers)) return undefined;
    const shape = objectIn(schema);
    const start = shape === undefined ? -1 : subjects.indexOf(shape.subject);
    if (shape === undefined || start === -1) return undefined;
    return [...subjects.slice(start), shape.subject].map((subject) =>
      typeof subject === 'string' ? subject : 'an object',
    );
  }

  #isMapped({ models }: ObjectShape): boolean {
    return models.some((name) => this.mappings.has(name));
  }

  /** Models that hold each other in many ways would make a body without measure. */
  #isTooLarge({ span }: BodyContext): boolean {
    this.#objects += 1;
    if (this.#objects <= maxObjects) return false;
    this.report.add('body-too-large', this.operation.fields.get('mappings') ?? span, {
      operation: this.operation.name.value,
      max: maxObjects,
    });
    return true;
  }

  #unclear(what: string, { span }: BodyContext): void {
    const key = /'(\w+)'/.exec(what)?.[1] ?? 'items';
    this.report.add('unclear-model', partOf(span, key), { what, operation: this.operation.name.value });
  }
}

/** What an object is built from. */
interface Source {
  /** The object whose fields determine it. */
  readonly owner: Subject | undefined;
  readonly level?: Level;
  readonly row?: BuiltRow | undefined;
}

/** The model of an object and that of the object around it; undefined for those without a name. */
type Models = readonly [string | undefined, string | undefined];

function modelName(subject: Subject | undefined): string | undefined {
  return typeof subject === 'string' ? subject : undefined;
}

function isBuiltFrom({ first, others }: Level, name: string): boolean {
  return [first, ...others].some(({ row }) => row.fulfillment === name);
}

/** The types of the API description that values have for certain; undefined where data decide. */
const certainTypes: Readonly<Record<OwnType, Exclude<ApiType, 'object' | 'null'> | undefined>> = {
  string: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  rows: 'array',
  null: undefined,
  status: undefined,
  integers: undefined,
  unknown: undefined,
};

function accepts(type: string, described: ApiType): boolean {
  return type === described || (type === 'integer' && described === 'number');
}

/** What a field holds, or a list of it. */
function objectIn(schema: ApiSchema): ObjectShape | undefined {
  const shape = shapeOf(schema);
  const inner = shape.kind === 'list' ? shapeOf(shape.items) : shape;
  return inner.kind === 'list' ? undefined : inner;
}

/** The name of a model that has fields. */
function nameOf(shape: ObjectShape | undefined): string | undefined {
  return shape === undefined || shape.properties.size === 0 ? undefined : shape.models[0];
}
