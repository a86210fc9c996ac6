/** Shared by the parts of a client's plan: the called endpoints, their types and models. */
import type { KnownValues } from '../../../analyze/describe/known-values.js';
import type { AnalyzedOperation } from '../../../analyze/operations/analyzed-operation.js';
import type { Config, Endpoint, Operation, Response } from '../../../read/config/config-model.js';
import type { ApiDescription, ApiEndpoint } from '../../../read/openapi/api-model.js';
import { camelCase, upperFirst } from '../names/identifiers.js';
import { takenTypes } from './client-names.js';
import type { ClientType, ClientTypes, NameOfModel, UsedModel } from './client-types.js';

/** An operation that clients can call, with its description. */
export interface CalledEndpoint {
  readonly operation: Operation;
  readonly endpoint: Endpoint;
  /** The description of the author, or the generated one. */
  readonly described: ApiEndpoint;
  /** The generated description, which has all statuses that the service sends. */
  readonly generated: ApiEndpoint;
  /** The bodies that are built from mappings. */
  readonly mapped: AnalyzedOperation['mapped'];
}

export interface ClientContext {
  readonly config: Config;
  readonly types: {
    readonly described: ClientTypes;
    readonly generated: ClientTypes;
    /** The types of a description. */
    of(description: ApiDescription): ClientTypes;
  };
  readonly models: Models;
  readonly values: KnownValues;
  /** Responses whose mapped body can be null. */
  readonly nullBodies: ReadonlySet<Response>;
}

export interface ClientModel {
  readonly name: string;
  readonly type: ClientType;
  readonly description: string | undefined;
}

/** The models that the operations use, with the names of their types. */
export class Models {
  readonly #used = new Map<string, UsedModel>();
  readonly #taken: Set<string>;

  constructor(taken: readonly string[]) {
    this.#taken = new Set([...taken, ...takenTypes]);
  }

  readonly nameOf: NameOfModel = (model) => {
    const known = [...this.#used].find(
      ([, one]) =>
        one.description === model.description && one.name === model.name && one.direction === model.direction,
    );
    if (known !== undefined) return known[0];
    const wished =
      upperFirst(camelCase(model.name, 'model')) + (model.direction === 'request' ? 'Input' : '');
    let name = this.#taken.has(wished) ? `${wished}Body` : wished;
    for (let count = 2; this.#taken.has(name); count += 1) name = `${wished}${count}`;
    this.#taken.add(name);
    this.#used.set(name, model);
    return name;
  };

  /** The type of a named model. */
  contentOf(name: string, typesOf: (model: UsedModel) => ClientTypes): ClientType | undefined {
    const model = this.#used.get(name);
    const schema = model?.description.models.get(model.name);
    return model && schema && typesOf(model).content(schema, model.direction);
  }

  /** All used models, including those that other models use. */
  all(typesOf: (model: UsedModel) => ClientTypes): ClientModel[] {
    const found = new Map<string, ClientModel>();
    // Converting a model can add further models.
    for (let size = -1; size !== this.#used.size;) {
      size = this.#used.size;
      for (const [name, model] of [...this.#used]) {
        if (found.has(name)) continue;
        const schema = model.description.models.get(model.name);
        const type = this.contentOf(name, typesOf);
        if (type !== undefined) found.set(name, { name, type, description: schema?.description });
      }
    }
    return [...found.values()].sort((a, b) => compare(a.name, b.name));
  }
}

/** By code unit, whatever the language of the machine. */
export function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
