/** Adds errors that operations send to the existing API description. */
import { isDeepStrictEqual } from 'node:util';
import { valueIn, withAdditions, type Addition } from '../../read/config/yaml/yaml-append.js';
import type { Config } from '../../read/config/config-model.js';
import { ErrorForms } from './error-forms.js';
import { errorComponents } from './error-responses.js';
import { isJsonMap, type JsonMap } from '../../read/json.js';
import type { MissingResponses } from './missing-responses.js';

export interface Merged {
  /** The new text; undefined if adding the responses would change anything else. */
  readonly text: string | undefined;
  readonly added: readonly MissingResponses[];
  /** Operations whose responses are in other files. */
  readonly elsewhere: readonly MissingResponses[];
}

/** `text` is the description's main file; `config` is the service's configuration. */
export function mergeResponses(text: string, missing: readonly MissingResponses[], config: Config): Merged {
  const description = valueIn(text);
  const isHere = ({ endpoint }: MissingResponses): boolean =>
    isJsonMap(at(description, ...pathOf(endpoint))) &&
    at(description, ...pathOf(endpoint), '$ref') === undefined;
  const added = missing.filter(isHere);
  const components = new Components(description, config);
  const responses = added.flatMap(({ endpoint, responses }) =>
    Object.entries(responses).map(([key, value]) => {
      return { path: pathOf(endpoint), key, value: components.withNames(value) };
    }),
  );
  return {
    text: withAdditions(text, [...responses, ...components.additions]),
    added,
    elsewhere: missing.filter((one) => !isHere(one)),
  };
}

function pathOf({ path, method }: MissingResponses['endpoint']): string[] {
  return ['paths', path, method.toLowerCase(), 'responses'];
}

/** Response components: existing ones of the description, or new ones with unused names. */
class Components {
  readonly additions: Addition[] = [];
  readonly #names = new Map<string, string>();
  readonly #forms: ErrorForms;
  readonly #responses: JsonMap;
  readonly #hasNullable: boolean;

  constructor(
    private readonly description: unknown,
    config: Config,
  ) {
    this.#forms = new ErrorForms(config);
    this.#responses = errorComponents(this.#forms, () => true);
    this.#hasNullable = String(at(description, 'openapi')).startsWith('3.0');
  }

  withNames(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.withNames(item));
    if (!isJsonMap(value)) return value;
    const [, kind, name] = /^#\/components\/(responses|schemas)\/(.*)$/.exec(String(value['$ref'])) ?? [];
    if (kind !== undefined && name !== undefined)
      return { $ref: `#/components/${kind}/${this.#nameOf(kind, name)}` };
    const entries = Object.entries(value).map(([key, item]) => [key, this.withNames(item)]);
    const named = Object.fromEntries(entries) as JsonMap;
    return this.#hasNullable ? withNullable(named) : named;
  }

  #nameOf(kind: string, wished: string): string {
    const known = this.#names.get(`${kind} ${wished}`);
    if (known !== undefined) return known;
    const all = kind === 'schemas' ? this.#forms.schemas : this.#responses;
    const value = this.withNames(all[wished]);
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? wished : `${wished}${count}`;
      const written = at(this.description, 'components', kind, name);
      if (written !== undefined && !says(written, value)) continue;
      if (written === undefined) this.additions.push({ path: ['components', kind], key: name, value });
      this.#names.set(`${kind} ${wished}`, name);
      return name;
    }
  }
}

/** Converts a schema from OpenAPI 3.1 to 3.0, which allows a single type with `nullable`; several types become any value. */
function withNullable({ type, ...others }: JsonMap): JsonMap {
  if (!Array.isArray(type)) return type === undefined ? others : { type, ...others };
  const [first, ...more] = type.filter((one) => one !== 'null') as string[];
  if (first === undefined || more.length > 0) return others;
  return { type: first, ...(type.includes('null') ? { nullable: true } : {}), ...others };
}

/** Whether two components are equal except for descriptive text. */
function says(written: unknown, value: unknown): boolean {
  return isDeepStrictEqual(withoutWords(written), withoutWords(value));
}

function withoutWords(value: unknown): unknown {
  if (!isJsonMap(value)) return value;
  const fields = Object.entries(value).filter(
    ([key, item]) => key !== 'description' || typeof item !== 'string',
  );
  return Object.fromEntries(fields.map(([key, item]) => [key, withoutWords(item)]));
}

function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce(
    (from, key) => (isJsonMap(from) && Object.hasOwn(from, key) ? from[key] : undefined),
    value,
  );
}
