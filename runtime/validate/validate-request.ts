/** Validates the parameters and body of an operation, and converts the parameters, before the operation runs. */
import type { Call } from '../handler/call.js';
import { isLarge } from '../handler/json-text.js';
import type { DeclaredInput, DeclaredValues, RequestedCall } from '../http/route.js';
import type { Texts } from '../http/texts.js';
import type { Json, JsonObject } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { ValidationErrors } from './validation-errors.js';
import { parameterOf, type Parameter, type ParameterLike } from './parameter-conversion.js';
import { ValuePath } from './value-path.js';
import { Required, type Property, type Schema } from './schema.js';

export interface InputSchema {
  readonly path?: Readonly<Record<string, ParameterLike>>;
  readonly query?: Readonly<Record<string, ParameterLike>>;
  readonly header?: Readonly<Record<string, ParameterLike>>;
  /** The JSON body. */
  readonly body?: Property;
  /** The fields of a form, validated if the body is a form. */
  readonly form?: Readonly<Record<string, ParameterLike>>;
  /** The required files of a form. */
  readonly files?: readonly string[];
  /** Whether a form is required. */
  readonly formRequired?: boolean;
}

/** The parts of a request before validation. */
export interface RawInput extends Pick<RequestedCall, 'path' | 'form'> {
  readonly query: Texts;
  readonly header: (name: string) => string | undefined;
  /** The JSON body; undefined if the request does not have one. */
  readonly body: Json | undefined;
}

/** The values of the declared parameters. Header names are case-insensitive. */
class ParameterValues implements DeclaredValues {
  readonly #values = new Map<string, Json>();
  readonly #headers = new Map<string, Json>();
  /** The names of parameters that may be lists or have any type; header names are in lower case. */
  readonly #open = new Set<string>();
  readonly #openHeaders = new Set<string>();

  /** Sets a value. If a name is declared twice, the first location present in the request wins. */
  set({ name, isOpen }: Declared, value: Json): void {
    this.#values.set(name, this.#values.get(name) ?? value);
    if (isOpen) this.#open.add(name);
  }

  setHeader({ name, isOpen }: Declared, value: Json): void {
    this.#headers.set(name.toLowerCase(), value);
    if (isOpen) this.#openHeaders.add(name.toLowerCase());
  }

  hasType(name: string): boolean {
    const isOpen = this.#open.has(name) || this.#openHeaders.has(name.toLowerCase());
    return this.get(name) !== undefined && !isOpen;
  }

  get(name: string): Json | undefined {
    const value = this.#values.get(name);
    if (value !== undefined && value !== null) return value;
    // Null means declared but missing: other locations are not read.
    const header = this.#headers.get(name.toLowerCase());
    return header === undefined ? value : header;
  }
}

export class Input implements DeclaredInput {
  readonly #path: readonly Declared[];
  readonly #query: readonly Declared[];
  readonly #header: readonly Declared[];
  readonly #form: readonly Declared[];
  readonly #queryNames: ReadonlySet<string>;
  readonly #formNames: ReadonlySet<string>;
  readonly #files: readonly string[];
  readonly #formRequired: boolean;
  readonly #body: { readonly schema: Schema; readonly required: boolean } | undefined;

  constructor({ path = {}, query = {}, header = {}, body, form = {}, ...rest }: InputSchema) {
    this.#path = declare(path, 'path parameter');
    this.#query = declare(query, 'query parameter');
    this.#header = declare(header, 'header');
    this.#form = declare(form, 'form field');
    this.#queryNames = bracketNames(this.#query);
    this.#formNames = bracketNames(this.#form);
    this.#files = rest.files ?? [];
    this.#formRequired = rest.formRequired ?? false;
    if (body instanceof Required) this.#body = { schema: body.schema, required: true };
    else if (body !== undefined) this.#body = { schema: body, required: false };
  }

  accept(call: RequestedCall, body: Json | undefined): void | Promise<void> {
    const raw = {
      path: (name: string) => call.path(name),
      query: call.queryTexts,
      header: (name: string) => call.header(name) ?? undefined,
      body,
      form: call.form,
    };
    if (isLarge(body)) return this.#acceptInTurns(call, raw);
    call.declared = this.read(raw);
  }

  async #acceptInTurns(call: RequestedCall, raw: RawInput): Promise<void> {
    call.declared = await this.readInTurns(raw, call);
  }

  read(raw: RawInput): DeclaredValues {
    const errors = new ValidationErrors();
    const values = this.#read(raw, errors);
    refuse(errors);
    return values;
  }

  async readInTurns(raw: RawInput, call: Call): Promise<DeclaredValues> {
    const errors = new ValidationErrors();
    let values: DeclaredValues = new ParameterValues();
    await errors.inTurns(call, () => {
      values = this.#read(raw, errors);
    });
    refuse(errors);
    return values;
  }

  placesOf(name: string): ReturnType<DeclaredInput['placesOf']> {
    const places = { path: this.#path, query: this.#query, header: this.#header, form: this.#form };
    return new Set(
      (['path', 'query', 'header', 'form'] as const).filter((place) =>
        places[place].some((one) => one.name === name),
      ),
    );
  }

  readPassed(passed: Readonly<JsonObject>, body: Json | undefined): DeclaredValues {
    const errors = new ValidationErrors();
    const values = new ParameterValues();
    const valueOfPassed = ({ name }: Declared): Json | undefined =>
      Object.hasOwn(passed, name) ? (passed[name] ?? undefined) : undefined;
    for (const one of [...this.#path, ...this.#query])
      values.set(one, checked(one, valueOfPassed(one), errors));
    for (const one of this.#header) values.setHeader(one, checked(one, valueOfPassed(one), errors));
    const isForm = this.#form.some((one) => valueOfPassed(one) !== undefined);
    if (body === undefined && (isForm || this.#formRequired)) {
      for (const one of this.#form) values.set(one, checked(one, valueOfPassed(one), errors));
      for (const name of this.#files) errors.add(new ValuePath(`file '${name}'`), () => 'is missing');
    } else if (this.#body !== undefined) checkBody(this.#body, body, errors);
    refuse(errors);
    return values;
  }

  #read(raw: RawInput, errors: ValidationErrors): DeclaredValues {
    const values = new ParameterValues();
    for (const one of this.#path) values.set(one, checked(one, valueOf(one, raw.path(one.name)), errors));
    for (const one of this.#query) values.set(one, readTexts(one, raw.query, this.#queryNames, errors));
    for (const one of this.#header)
      values.setHeader(one, checked(one, valueOf(one, raw.header(one.name)), errors));
    if (raw.form !== undefined) this.#readForm(raw.form, values, errors);
    else if (this.#formRequired) errors.add(bodyPath, () => 'is missing');
    else if (this.#body !== undefined) checkBody(this.#body, raw.body, errors);
    return values;
  }

  #readForm(
    { texts, files }: NonNullable<RawInput['form']>,
    values: ParameterValues,
    errors: ValidationErrors,
  ): void {
    for (const one of this.#form) {
      if (texts.exactly(one.name) === undefined && files.has(one.name)) {
        errors.add(one.path, () => 'is a file, but a string is expected');
        continue;
      }
      values.set(one, readTexts(one, texts, this.#formNames, errors));
    }
    for (const name of this.#files)
      if (!files.has(name)) errors.add(new ValuePath(`file '${name}'`), () => 'is missing');
  }
}

function refuse({ message, faults }: ValidationErrors): void {
  if (message !== undefined) throw new ServiceError(400, message, { faults });
}

interface Declared {
  readonly name: string;
  readonly parameter: Parameter;
  readonly path: ValuePath;
  /** Whether the value may be a list or have any type, so that its strings are not typed. */
  readonly isOpen: boolean;
}

function declare(parameters: Readonly<Record<string, ParameterLike>>, kind: string): Declared[] {
  return Object.entries(parameters).map(([name, raw]) => {
    const parameter = parameterOf(raw);
    return {
      name,
      parameter,
      path: new ValuePath(`${kind} '${name}'`),
      isOpen: parameter.schema.accepts([]),
    };
  });
}

/** `others` are declared names that contain brackets. */
function readTexts(one: Declared, texts: Texts, others: ReadonlySet<string>, errors: ValidationErrors): Json {
  const { name, parameter, path } = one;
  const bracketed = texts.bracketed(name, others);
  if (bracketed !== undefined && 'problem' in bracketed) {
    errors.add(path, () => bracketed.problem);
    return null;
  }
  if (bracketed !== undefined) return checked(one, parameter.schema.fromNested(bracketed.nested), errors);
  const exact = texts.exactly(name);
  return checked(
    one,
    exact === undefined ? undefined : parameter.valueOf(typeof exact === 'string' ? [exact] : exact),
    errors,
  );
}

function bracketNames(declared: readonly Declared[]): ReadonlySet<string> {
  return new Set(declared.map(({ name }) => name).filter((name) => name.includes('[')));
}

function valueOf({ parameter }: Declared, text: string | undefined): Json | undefined {
  return text === undefined ? undefined : parameter.valueOf([text]);
}

function checked({ parameter, path }: Declared, value: Json | undefined, errors: ValidationErrors): Json {
  const { schema, options } = parameter;
  if (value === undefined) {
    if (options.required === true) errors.add(path, () => 'is missing');
    return options.default ?? null;
  }
  schema.check(value, path, errors);
  return value;
}

const bodyPath = new ValuePath('body');

function checkBody(
  { schema, required }: { readonly schema: Schema; readonly required: boolean },
  body: Json | undefined,
  errors: ValidationErrors,
): void {
  if (body !== undefined) schema.check(body, bodyPath, errors);
  else if (required) errors.add(bodyPath, () => 'is missing');
}

/** The parameters and the body of an operation. */
export function input(schema: InputSchema): Input {
  return new Input(schema);
}
