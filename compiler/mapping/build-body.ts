/** Builds the body of a response from its schema and the mappings of the models in it (decisions 8.1 to 8.3). */
import type { Mapping, Operation } from '../config/model.js';
import type { Report } from '../diagnostics/report.js';
import type { Expression } from '../expression/ast.js';
import { visit } from '../expression/visit.js';
import type { ApiSchema, ApiType } from '../openapi/model.js';
import type { Place } from '../source.js';
import type { Body, BodyField, Reach } from './body.js';
import { columnOf, entriesOf, namesRead, type Fields } from './entries.js';
import { joinsOf, JoinGraph, type Join } from './join.js';
import { ModelSearch } from './model-search.js';
import { shapeOf, type ListShape, type ObjectShape, type Subject } from './shape.js';

/** What is being built around a place of the body. */
interface Around {
  /** The fulfillments of which an entry is being built, the innermost first. */
  readonly current: readonly string[];
  /** The object for which an item around takes the innermost entries. */
  readonly owner: Subject | undefined;
  /** How many models without a mapping may still be built around mapped ones. */
  readonly wrappers: number;
  /** The models and other objects that are being built, the outermost first. */
  readonly subjects: readonly Subject[];
  /** The mapping, or the schema without one, that the place belongs to. */
  readonly place: Place;
}

/** A page and what is on it, around the first mapped model; inside one only objects without a name are built without a mapping. */
const mostWrappers = 2;

/** So many objects of code for the responses of one operation. */
const mostObjects = 1000;

export class BodyBuilder {
  readonly usedMappings = new Set<Mapping>();
  readonly usedJoins = new Set<Join>();
  #objects = 0;
  readonly #graph: JoinGraph;
  readonly #search: ModelSearch;

  constructor(
    private readonly operation: Operation,
    /** By the name of the model as its schema has it. */
    private readonly mappings: ReadonlyMap<string, Mapping>,
    private readonly report: Report,
  ) {
    this.#graph = new JoinGraph(joinsOf(operation));
    this.#search = new ModelSearch((name) => this.mappings.has(name));
  }

  /** The body; undefined when no mapped model is in it. */
  build(schema: ApiSchema): Body | undefined {
    return this.#schema(schema, {
      current: [],
      owner: undefined,
      wrappers: mostWrappers,
      subjects: [],
      place: schema.place,
    });
  }

  #schema(schema: ApiSchema, around: Around): Body | undefined {
    if (!this.#search.holdsModel(schema, around.wrappers)) return undefined;
    const shape = shapeOf(schema);
    if (shape.kind === 'list') return this.#list(shape, around);
    return this.#object(shape, { ...around, place: this.#placeOf(shape, schema) }, false);
  }

  #list({ items, isNested }: ListShape, around: Around): Body | undefined {
    const shape = shapeOf(items);
    if (isNested || shape.kind === 'list') {
      this.#unclear('a list of lists', around);
      return undefined;
    }
    return this.#object(shape, { ...around, place: this.#placeOf(shape, items) }, true);
  }

  /** A mapped model is spoken of where it is mapped, another object where it is described. */
  #placeOf({ models }: ObjectShape, schema: ApiSchema): Place {
    const mapping = models.flatMap((name) => this.mappings.get(name) ?? [])[0];
    return mapping?.model.place ?? schema.place;
  }

  #object(shape: ObjectShape, outside: Around, isItem: boolean): Body | undefined {
    const wrappers = this.#search.wrappersInside(shape, outside.wrappers);
    const around = { ...outside, wrappers, subjects: [...outside.subjects, shape.subject] };
    if (this.#isTooLarge(around)) return undefined;
    for (const { keyword, schema } of shape.open) {
      if (this.#search.holdsModel(schema, wrappers)) this.#unclear(`'${keyword}'`, around);
    }
    const source = entriesOf(shape, {
      current: around.current,
      owner: around.owner,
      subjects: outside.subjects,
      isItem,
      graph: this.#graph,
      fieldsOf: (inside) => this.#mappedFields(inside),
    });
    const enters = source !== undefined && !around.current.includes(source.of);
    if (source === undefined && isItem) {
      // A field that could not be read may be the one that tells.
      const isRead = ![...this.#mappedFields(shape).values()].includes(undefined);
      if (isRead) this.report.add('no-entries', around.place, { model: shape.models[0] });
      return undefined;
    }
    const of = enters ? this.#reach(source.of, around) : undefined;
    if (of !== undefined) this.#checkOwner(of, around);
    const inside = enters
      ? { ...around, current: [source.of, ...around.current], owner: source.owner }
      : around;
    const fields = this.#fields(shape, inside);
    // Nothing is left of an object that is only there for what is in it.
    if (fields.length === 0 && !this.#isMapped(shape)) return undefined;
    const item: Body = { kind: 'object', fields };
    if (of !== undefined) return { kind: 'entries', take: isItem ? 'every' : 'first', of, item };
    return isItem ? { kind: 'single', item } : item;
  }

  /** The fields of the object that are mapped, in the order of the mapping; undefined stands for what could not be read. */
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

  #fields(shape: ObjectShape, around: Around): BodyField[] {
    const mapped = this.#mappedFields(shape);
    const missing: { name: string; model: string | undefined }[] = [];
    const fields = [...shape.properties].flatMap(([key, schema]): BodyField[] => {
      const isRequired = shape.required.has(key);
      if (!mapped.has(key)) {
        const circle = this.#circle(schema, around);
        if (circle !== undefined) {
          const parameters = { field: key, circle };
          if (isRequired) this.report.add('endless-model', around.place, parameters);
          else this.report.add('cyclic-model', around.place, parameters);
          return [];
        }
        const value = this.#schema(schema, around);
        if (value !== undefined) return [{ key, value }];
        if (isRequired) missing.push({ name: key, model: nameOf(objectIn(schema)) });
        return [];
      }
      const expression = mapped.get(key);
      return expression === undefined ? [] : [{ key, value: this.#value(expression, schema, around) }];
    });
    if (missing.length > 0) {
      const model = shape.models.find((name) => this.mappings.has(name)) ?? shape.models[0];
      const isMapped = model !== undefined && this.mappings.has(model);
      const operation = this.operation.name.value;
      this.report.add('required-not-mapped', around.place, { model, isMapped, operation, fields: missing });
    }
    return fields;
  }

  #value(expression: Expression, schema: ApiSchema, around: Around): Body {
    const column = columnOf(expression, schema);
    if (column !== undefined && !around.current.includes(column.name))
      return { kind: 'column', of: this.#reach(column.name, around), path: column.path };
    const type = certainType(expression);
    if (type !== undefined && schema.types?.some((one) => fits(type, one)) === false)
      this.report.add('mapped-type', expression.place, { type, types: schema.types });
    const reads = namesRead(expression).map((name) => this.#reach(name, around));
    const [inner] = around.current;
    visit(expression, (node) => {
      const isList = node.kind === 'result' || (node.kind === 'value' && node.path[0]?.kind !== 'name');
      if (isList && inner !== undefined && around.current.indexOf(node.name) > 0)
        this.report.add('list-around', node.place, { name: node.name, inner });
    });
    return { kind: 'value', value: expression, reads };
  }

  /** From the innermost entry that joins lead from; where none do, all entries of the result. */
  #reach(fulfillment: string, { current, place }: Around): Reach {
    const isCurrent = current.includes(fulfillment);
    const from = current.slice(isCurrent ? current.indexOf(fulfillment) + 1 : 0);
    for (const name of from) {
      const around = from.filter((other) => other !== name);
      const chain = this.#graph.chain(name, fulfillment, around);
      if (chain === undefined) continue;
      if (chain.isAmbiguous) this.report.add('ambiguous-join', place, { from: name, to: fulfillment });
      for (const join of chain.steps.flatMap(({ joins }) => joins)) this.usedJoins.add(join);
      return { fulfillment, isCurrent, steps: chain.steps };
    }
    return { fulfillment, isCurrent, steps: [] };
  }

  /** An author of a comment who is that of the news around: where no join leads from the innermost entry, that may not be meant. */
  #checkOwner({ fulfillment, steps }: Reach, { current, subjects, place }: Around): void {
    const [inner] = current;
    const [first] = steps;
    const last = steps.at(-1);
    if (inner === undefined || first === undefined || last === undefined || first.from === inner) return;
    const [model, owner] = [subjects.at(-1), subjects.at(-2)];
    this.report.add('entry-of-outer', place, {
      ...{
        model: typeof model === 'string' ? model : undefined,
        owner: typeof owner === 'string' ? owner : undefined,
      },
      ...{ fulfillment, inner, outer: first.from, key: last.keys[0]?.to },
      likely: steps.length === 1 ? first.keys[0]?.from : undefined,
    });
  }

  /** The models from the one that is met again on; undefined when the schema is none that is being built. */
  #circle(schema: ApiSchema, { subjects, wrappers }: Around): string[] | undefined {
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
  #isTooLarge({ place }: Around): boolean {
    this.#objects += 1;
    if (this.#objects <= mostObjects) return false;
    this.report.add('body-too-large', this.operation.fields.get('mappings') ?? place, {
      operation: this.operation.name.value,
      most: mostObjects,
    });
    return true;
  }

  #unclear(what: string, { place }: Around): void {
    this.report.add('unclear-model', place, { what, operation: this.operation.name.value });
  }
}

/** The type of a value that does not depend on data; undefined where it does. */
function certainType(expression: Expression): 'string' | 'number' | 'integer' | 'boolean' | undefined {
  switch (expression.kind) {
    case 'text':
      return 'string';
    case 'size':
      return 'integer';
    case 'number':
      return Number.isInteger(expression.value) ? 'integer' : 'number';
    case 'boolean':
    case 'comparison':
    case 'logical':
    case 'not':
      return 'boolean';
    default:
      return undefined;
  }
}

function fits(type: string, described: ApiType): boolean {
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
