/** Builds a response body from its schema and from the mappings of the models in it (docs/design/mappings.md#map-1). */
import { allFulfillments } from '../../read/config/walk.js';
import type { Mapping, Operation } from '../../read/config/config-model.js';
import type { Sink } from '../../read/diagnostics/finding.js';
import type { Expression } from '../../read/expression/ast.js';
import type { ApiSchema } from '../../read/openapi/api-model.js';
import type { Span } from '../../read/source.js';
import { modelName, type BodyContext, type BodyScope } from './body-context.js';
import {
  reportMissing,
  reportNoRows,
  reportTooLarge,
  reportUnclear,
  type MissingField,
} from './body-findings.js';
import type { Body, BodyField } from './body-parts.js';
import { checkJoin, checkReach, checkSharedKeys } from './check-body-joins.js';
import { namesRead, type Fields } from './entries.js';
import { JoinGraph } from './join-graph.js';
import { RowFinder } from './row-finder.js';
import { mappedValue } from './mapped-value.js';
import { ModelSearch } from './model-search.js';
import { sourceOf } from './object-source.js';
import { nameOf, objectIn, shapeOf, type ListShape, type ObjectShape, type Subject } from './shape.js';
import type { Join } from './written-joins.js';

/**
 * Unmapped models allowed around a mapped one, for a page and its content. Inside a mapped model, unmapped objects are built only if they
 * are not models.
 */
const maxWrappers = 2;

/** Maximum number of objects in the generated code for an operation's responses. */
const maxObjects = 1000;

export class BodyBuilder {
  readonly usedMappings = new Set<Mapping>();
  readonly #scope: BodyScope;
  readonly #search: ModelSearch;
  /** Objects that cannot be built because a required field nests without end. The problem is only reported at that field. */
  readonly #endless = new Set<Subject>();
  #objects = 0;

  /** `mappings` are keyed by the model name in the schema. */
  constructor(
    operation: Operation,
    mappings: ReadonlyMap<string, Mapping>,
    joins: readonly Join[],
    report: Sink,
  ) {
    const fulfillments = allFulfillments(operation.fulfillments);
    const names = new Set(fulfillments.map(({ fulfillment }) => fulfillment.name.value));
    const values = [...mappings.values()].flatMap(({ fields }) => fields.flatMap(({ value }) => value ?? []));
    const graph = new JoinGraph(joins, new Set(values.flatMap(namesRead)));
    const rows = new RowFinder(graph, report);
    this.#scope = { operation, mappings, joins, names, rows, report };
    this.#search = new ModelSearch((name) => mappings.has(name));
  }

  /** The joins used by the bodies. */
  get usedJoins(): ReadonlySet<Join> {
    return this.#scope.rows.usedJoins;
  }

  /** The body; undefined if it does not contain a mapped model. */
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
      reportUnclear('a list of lists', context, this.#scope);
      return undefined;
    }
    return this.#object(shape, { ...context, span: this.#spanOf(shape, items) }, true);
  }

  /** The position for diagnostics: the mapping of a mapped model, otherwise the schema. */
  #spanOf({ models }: ObjectShape, schema: ApiSchema): Span {
    const mapping = models.flatMap((name) => this.#scope.mappings.get(name) ?? [])[0];
    return mapping?.model.span ?? schema.span;
  }

  #object(shape: ObjectShape, outside: BodyContext, isItem: boolean): Body | undefined {
    const wrappers = this.#search.wrappersInside(shape, outside.wrappers);
    const context = { ...outside, wrappers, subjects: [...outside.subjects, shape.subject] };
    if (this.#isTooLarge(context)) return undefined;
    for (const { keyword, schema } of shape.open) {
      if (this.#search.holdsModel(schema, wrappers)) reportUnclear(`'${keyword}'`, context, this.#scope);
    }
    const source = sourceOf(shape, context, isItem, {
      rows: this.#scope.rows,
      fieldsOf: (inside) => this.#mappedFields(inside),
    });
    if (source === undefined && isItem) {
      // An unreadable field might be the one that determines the rows.
      const isRead = ![...this.#mappedFields(shape).values()].includes(undefined);
      if (isRead) reportNoRows(shape, context, this.#scope);
      return undefined;
    }
    if (source?.level !== undefined && source.row === undefined) {
      const models = [modelName(context.subjects.at(-1)), modelName(context.subjects.at(-2))] as const;
      checkReach(source.level.first.of, context, models, this.#scope);
      checkJoin(source.level.first.of, context, models, this.#scope, isItem);
      checkSharedKeys(source.level, context, models, this.#scope);
    }
    const inside =
      source?.level === undefined
        ? context
        : { ...context, levels: [source.level, ...context.levels], owner: source.owner };
    const fields = this.#fields(shape, inside);
    // Omit an object that only groups fields if it is empty.
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

  /** The mapped fields of the object, in mapping order; undefined for unreadable values. */
  #mappedFields({ models, properties }: ObjectShape): Fields {
    const found = new Map<string, Expression | undefined>();
    for (const name of models) {
      const mapping = this.#scope.mappings.get(name);
      if (mapping === undefined) continue;
      this.usedMappings.add(mapping);
      for (const { field, value } of mapping.fields) {
        if (properties.has(field.value) && !found.has(field.value)) found.set(field.value, value);
      }
    }
    return found;
  }

  #fields(shape: ObjectShape, context: BodyContext): BodyField[] {
    const { mappings, report } = this.#scope;
    const mapped = this.#mappedFields(shape);
    const missing: MissingField[] = [];
    const fields = [...shape.properties].flatMap(([key, schema]): BodyField[] => {
      const isRequired = shape.required.has(key);
      if (!mapped.has(key)) {
        const cycle = this.#cycle(schema, context);
        if (cycle !== undefined) {
          const parameters = { field: key, cycle };
          if (isRequired) {
            this.#endless.add(shape.subject);
            report.add('endless-model', context.span, parameters);
          } else report.add('cyclic-model', context.span, parameters);
          return [];
        }
        const value = this.#schema(schema, context);
        if (value !== undefined) return [{ key, value }];
        const inside = objectIn(schema);
        if (isRequired && inside !== undefined && this.#endless.has(inside.subject))
          this.#endless.add(shape.subject);
        else if (isRequired) missing.push({ name: key, model: nameOf(inside) });
        return [];
      }
      const expression = mapped.get(key);
      return expression === undefined
        ? []
        : [{ key, value: mappedValue(expression, schema, context, this.#scope) }];
    });
    const isUnread = shape.models.some((name) => mappings.get(name)?.isUnread === true);
    if (missing.length > 0 && !isUnread) reportMissing(missing, shape, context, this.#scope);
    return fields;
  }

  /** The models from the repeated one on; undefined if the schema is not currently being built. */
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
    return models.some((name) => this.#scope.mappings.has(name));
  }

  /** Limits the size: models that contain each other in many ways would make a huge body. */
  #isTooLarge(context: BodyContext): boolean {
    this.#objects += 1;
    if (this.#objects <= maxObjects) return false;
    reportTooLarge(maxObjects, context, this.#scope);
    return true;
  }
}
