/** Reports columns of unknown type that the API description declares as strings of digits: their numbers are not converted. */
import type { Expression, Path } from '../../../read/expression/ast.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { allFulfillments, isStatement, reachedInstructions } from '../../../read/config/walk.js';
import type { Operation, Schema } from '../../../read/config/config-model.js';
import type { ApiSchema } from '../../../read/openapi/api-model.js';
import { isOneSchema } from '../../../read/openapi/schema-part.js';
import type { Span } from '../../../read/source.js';
import { valueOfColumn } from '../../../read/sql/facts/result-columns.js';
import type { SqlStatement } from '../../../read/sql/statement.js';
import { wordSet } from '../../../read/wordset.js';
import { describedFields } from '../../mapping/body-parts.js';
import { describedBody } from '../../mapping/described.js';
import { kindsOf } from '../../types/described-kinds.js';
import { descriptionRule } from '../rule.js';

/** A column in a response, and its description. */
interface SentColumn {
  readonly fulfillment: string;
  readonly name: string;
  readonly schema: ApiSchema;
  readonly span: Span;
}

export const unknownDigits = descriptionRule(
  {
    'unknown-digits': warning(
      { column: 'text', datasource: 'text' },
      (p: { column: string; datasource: string; isEmbeddable: boolean }) => ({
        message: `The API description declares '${p.column}' as a string of digits, but the types of '${p.datasource}' are unknown: if the column is a number, a number is sent.`,
        hint: p.isEmbeddable
          ? 'Write the tables to schema.sql, name a server that has them, with --database, or cast the column to text in SQL.'
          : 'Name a server that has the tables, with --database, or cast the column to a string in SQL.',
        subject: p.datasource,
      }),
    ),
  },
  ({ analysis, report }) => ({
    response: (response, { operation, analyzed: { endpoint, mapped } }) => {
      const described = describedBody(response, endpoint);
      // With `numbers: string`, all numbers of the database have their own warning.
      if (described === undefined || analysis.config.settings.numbers === 'string') return;
      const body = mapped.bodies.get(response);
      const columns = [
        ...(response.schema === undefined ? [] : columnsIn(response.schema, described)),
        ...(body === undefined ? [] : describedFields(body, described)).flatMap(({ value, schema }) =>
          value.kind === 'value' || value.kind === 'column' ? columnsOf(value.value, schema) : [],
        ),
      ];
      for (const { fulfillment, name, schema, span } of columns) {
        const read = statementsOf(fulfillment, operation);
        const unknown = read.filter(({ statement }) => analysis.descriptions.of(statement) === undefined);
        const [first] = unknown;
        const datasource = first && analysis.datasource(first.datasource);
        if (datasource === undefined || !isString(schema)) continue;
        const values = unknown.map(({ statement }) => valueOfColumn(statement, name));
        if (values.includes('number') || (values.includes('column') && isOfDigits(schema)))
          report('unknown-digits', span, {
            column: name,
            datasource: datasource.name.value,
            isEmbeddable: datasource.dialect === 'postgresql',
          });
      }
    },
  }),
);

function columnsIn(node: Schema, described: ApiSchema): SentColumn[] {
  switch (node.kind) {
    case 'object':
      return node.fields.flatMap(({ key, value }) => {
        const property = described.properties.get(key);
        return property === undefined ? [] : columnsIn(value, property);
      });
    case 'array':
      return described.items === undefined ? [] : columnsIn(node.item, described.items);
    case 'leaf':
      return columnsOf(node.value, described);
  }
}

/** The column that the expression reads, or the described columns of the rows that it reads. */
function columnsOf(value: Expression, schema: ApiSchema): SentColumn[] {
  if (value.kind !== 'value' && value.kind !== 'value-by-index') return [];
  const { name: fulfillment, span } = value;
  const [name, ...deeper] = namesIn(value.path);
  if (name !== undefined) {
    // A list of the values of one column has a description of its elements.
    const element = kindsOf(schema)?.has('array') === true ? schema.items : schema;
    return deeper.length > 0 || element === undefined ? [] : [{ fulfillment, name, schema: element, span }];
  }
  const row = schema.items ?? schema;
  return [...row.properties].map(([column, property]) => {
    return { fulfillment, name: column, schema: property, span };
  });
}

function namesIn(path: Path): string[] {
  return path.flatMap((step) => (step.kind === 'name' ? [step.name] : []));
}

function statementsOf(
  name: string,
  operation: Operation,
): { readonly statement: SqlStatement; readonly datasource: string }[] {
  return allFulfillments(operation.fulfillments).flatMap(({ fulfillment }) => {
    if (fulfillment.name.value !== name || !('instructions' in fulfillment)) return [];
    return reachedInstructions(fulfillment).flatMap(({ action }) =>
      isStatement(action) && action.returnsRows
        ? [{ statement: action, datasource: fulfillment.datasource.value }]
        : [],
    );
  });
}

function isString(schema: ApiSchema): boolean {
  const kinds = kindsOf(schema);
  return isOneSchema(schema) && kinds?.has('string') === true && !kinds.has('number');
}

/** Whether only numbers have such strings, by the format, the default or the pattern. */
function isOfDigits({ format = '', default: fallback, bounds }: ApiSchema): boolean {
  const pattern = bounds.get('pattern');
  return (
    formats.has(format.toLowerCase()) ||
    (typeof fallback === 'string' && /^-?\d+(?:\.\d+)?$/.test(fallback)) ||
    (typeof pattern === 'string' && /\\d|0-9/.test(pattern) && onlyDigits.test(pattern))
  );
}

const formats = wordSet('int64 uint64 long bigint biginteger bigdecimal decimal number money');

/** A pattern of digits, a sign and a point. */
const onlyDigits = /^\^(?:\\[d.+-]|[-+?*(){}[\]|:.,\d])+\$$/;
