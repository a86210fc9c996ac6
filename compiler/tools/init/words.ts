/** Expressions in either syntax, as written by `apikiln init`. */
import { sql } from '../../notation/sql-writer.js';
import { expression, template } from '../../notation/template-writer.js';
import { joined, type Written } from '../../notation/written.js';
import type { Dialect } from '../../read/sql/dialect.js';
import type { StarterSyntax } from './starter.js';

type Expression = Written<'expression'>;

interface Forms {
  readonly instructions: 'instructions' | 'queries';
  param(name: string): Expression;
  text(value: string): Expression;
  /** A field of the body, or the whole body. */
  body(field?: string): Expression;
  /** All rows of a fulfillment. */
  rows(fulfillment: string): Expression;
  /** The first row; null if there is none. */
  first(fulfillment: string): Expression;
  field(fulfillment: string, field: string): Expression;
  isEmpty(fulfillment: string): Expression;
  /** The next-page token. */
  next(fulfillment: string): Expression;
  equals(value: Expression, number: number): Expression;
  isNotNull(value: Expression): Expression;
  coalesce(value: Expression, other: Expression): Expression;
  concat(...values: Expression[]): Expression;
  readonly nothing: Expression;
}

/** The forms of one syntax, for one configuration; used names are recorded. */
export interface Words extends Forms {
  /** A placeholder in a statement. */
  inSql(value: Expression): Written<'sql'>;
  /** Foreign text as a string in a statement. */
  sqlText(text: string, dialect: Dialect): Written<'sql'>;
  /** A placeholder in a URL, a header or a message. */
  inText(value: Expression): Written<'template'>;
  /** Foreign text in a URL, a header or a message, escaped. */
  asText(text: string): Written<'template'>;
  /** An environment variable, in syntax A. */
  variable(name: string): Expression;
  /** A reference to a variable in a datasource value; the default is omitted if a reference cannot contain it. */
  reference(name: string, fallback?: string): string;
  /** The expressions of all written placeholders. */
  readonly placed: ReadonlySet<string>;
  /** Names of the variables in expressions. */
  readonly variables: ReadonlySet<string>;
  readonly references: ReadonlySet<string>;
}

export function wordsOf(syntax: StarterSyntax): Words {
  const forms = syntax === 'a' ? formsA : formsB;
  const placed = new Set<string>();
  const variables = new Set<string>();
  const references = new Set<string>();
  const noted = (value: Expression): Expression => {
    placed.add(value);
    return value;
  };
  return {
    ...forms,
    inSql: (value) => sql.placeholder(noted(value)),
    // SQL strings must not contain the start of a placeholder.
    sqlText: (text, dialect) =>
      text.includes(':[') ? sql.placeholder(noted(forms.text(text))) : sql.string(text, dialect),
    inText: (value) => template.placeholder(noted(value)),
    asText: (text) => template.text(text, (constant) => noted(forms.text(constant))),
    variable: (name) => {
      variables.add(name);
      return expression`ENV(${expression.word(name)})`;
    },
    reference: (name, fallback) => {
      const hasDefault = fallback !== undefined && !/[${}\\\p{Cc}]|^-/u.test(fallback);
      const written = hasDefault ? `\${${name}:${fallback}}` : `\${${name}}`;
      references.add(written);
      return written;
    },
    placed,
    variables,
    references,
  };
}

const { word, step, argument, quoted } = expression;

const formsA: Forms = {
  instructions: 'instructions',
  param: (name) => expression`PARAM(${argument(name)})`,
  text: (value) => expression`TEXT(${quoted(value, '"')})`,
  body: (field) => expression`BODY($${field === undefined ? expression`` : step(field)})`,
  rows: (fulfillment) => expression`VALUE(${word(fulfillment)}, $)`,
  first: (fulfillment) => expression`VALUE(${word(fulfillment)}, $[0])`,
  field: (fulfillment, field) => expression`VALUE(${word(fulfillment)}, $${step(field)})`,
  next: (fulfillment) => expression`NEXT(${word(fulfillment)})`,
  isEmpty: (fulfillment) => expression`SIZE(VALUE(${word(fulfillment)}, $)) == INTEGER(0)`,
  equals: (value, number) => expression`${value} == INTEGER(${number})`,
  isNotNull: (value) => expression`${value} != NULL()`,
  coalesce: (value, other) => expression`COALESCE(${value}, ${other})`,
  concat: (...values) => expression`CONCAT(${joined(values, ', ')})`,
  nothing: expression`NULL()`,
};

const formsB: Forms = {
  instructions: 'queries',
  param: (name) => expression`param${step(name)}`,
  text: (value) => quoted(value, "'"),
  body: (field) => expression`body${field === undefined ? expression`` : step(field)}`,
  rows: (fulfillment) => word(fulfillment),
  first: (fulfillment) => expression`${word(fulfillment)}[0]`,
  field: (fulfillment, field) => expression`${word(fulfillment)}${step(field)}`,
  next: (fulfillment) => expression`${word(fulfillment)}.next()`,
  isEmpty: (fulfillment) => expression`${word(fulfillment)} == null`,
  equals: (value, number) => expression`${value} == ${number}`,
  isNotNull: (value) => expression`${value} != null`,
  coalesce: (value, other) => expression`coalesce(${value}, ${other})`,
  concat: (...values) => expression`concat(${joined(values, ', ')})`,
  nothing: expression`null`,
};
