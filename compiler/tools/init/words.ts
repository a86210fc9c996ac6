/** Expressions in either syntax, as `apikiln init` writes them. */

export interface Words {
  readonly instructions: 'instructions' | 'queries';
  param(name: string): string;
  text(value: string): string;
  /** A field of the body, else all of it. */
  body(field?: string): string;
  /** All rows of a fulfillment. */
  rows(fulfillment: string): string;
  /** Its first row; null if there is none. */
  first(fulfillment: string): string;
  field(fulfillment: string, field: string): string;
  isEmpty(fulfillment: string): string;
  /** The text for the next page. */
  next(fulfillment: string): string;
  equals(value: string, number: number): string;
  isNotNull(value: string): string;
  coalesce(value: string, other: string): string;
  concat(...values: string[]): string;
  readonly nothing: string;
}

const plain = /^[A-Za-z_][A-Za-z0-9_]*$/;

function step(name: string): string {
  return plain.test(name) ? `.${name}` : `['${name.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`;
}

export const wordsA: Words = {
  instructions: 'instructions',
  param: (name) => `PARAM(${name})`,
  text: (value) => `TEXT(${JSON.stringify(value)})`,
  body: (field) => `BODY($${field === undefined ? '' : step(field)})`,
  rows: (fulfillment) => `VALUE(${fulfillment}, $)`,
  first: (fulfillment) => `VALUE(${fulfillment}, $[0])`,
  field: (fulfillment, field) => `VALUE(${fulfillment}, $${step(field)})`,
  next: (fulfillment) => `NEXT(${fulfillment})`,
  isEmpty: (fulfillment) => `SIZE(VALUE(${fulfillment}, $)) == INTEGER(0)`,
  equals: (value, number) => `${value} == INTEGER(${number})`,
  isNotNull: (value) => `${value} != NULL()`,
  coalesce: (value, other) => `COALESCE(${value}, ${other})`,
  concat: (...values) => `CONCAT(${values.join(', ')})`,
  nothing: 'NULL()',
};

export const wordsB: Words = {
  instructions: 'queries',
  param: (name) => `param${step(name)}`,
  text: (value) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`,
  body: (field) => `body${field === undefined ? '' : step(field)}`,
  rows: (fulfillment) => fulfillment,
  first: (fulfillment) => `${fulfillment}[0]`,
  field: (fulfillment, field) => `${fulfillment}${step(field)}`,
  next: (fulfillment) => `${fulfillment}.next()`,
  isEmpty: (fulfillment) => `${fulfillment} == null`,
  equals: (value, number) => `${value} == ${number}`,
  isNotNull: (value) => `${value} != null`,
  coalesce: (value, other) => `coalesce(${value}, ${other})`,
  concat: (...values) => `concat(${values.join(', ')})`,
  nothing: 'null',
};
