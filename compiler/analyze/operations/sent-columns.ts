/** The columns of a result that responses send: only these may be filtered, because a filter reveals the values that it compares. */
import type { Fulfillment, Schema } from '../../read/config/config-model.js';
import type { Expression, Path } from '../../read/expression/ast.js';
import type { Body } from '../mapping/body-parts.js';
import type { AnalyzedOperation } from './analyzed-operation.js';

/** The names of the columns; `all` if a response sends whole rows. */
export function sentColumns(analyzed: AnalyzedOperation, { name }: Fulfillment): ReadonlySet<string> | 'all' {
  const sent = new SentColumns(name.value);
  for (const response of analyzed.operation.responses) {
    const body = analyzed.mapped.bodies.get(response);
    if (body === undefined) sent.addSchema(response.schema, undefined);
    else sent.addBody(body);
    for (const { value } of response.header)
      for (const part of value) if (typeof part !== 'string') sent.addValue(part, undefined);
  }
  return sent.isWhole ? 'all' : sent.columns;
}

class SentColumns {
  readonly columns = new Set<string>();
  isWhole = false;

  constructor(private readonly name: string) {}

  /** `element` is the path of the current element in the result; undefined if it is something else. */
  addSchema(schema: Schema | undefined, element: Path | undefined): void {
    switch (schema?.kind) {
      case 'leaf':
        this.addValue(schema.value, element);
        break;
      case 'object':
        for (const { value } of schema.fields) this.addSchema(value, element);
        break;
      case 'array':
        this.addSchema(schema.item, this.#pathOf(schema.list, element));
        break;
      case undefined:
        break;
    }
  }

  /** A string that is joined from values shows them; a length or a digest does not. */
  addValue(value: Expression, element: Path | undefined): void {
    const path = this.#pathOf(value, element);
    if (path !== undefined) {
      const column = path.find((step) => step.kind === 'name');
      if (column === undefined) this.isWhole = true;
      else this.columns.add(column.name);
    } else if (value.kind === 'coalesce' || value.kind === 'concat')
      for (const part of value.parts) this.addValue(part, element);
  }

  addBody(body: Body): void {
    switch (body.kind) {
      case 'object':
        for (const { value } of body.fields) this.addBody(value);
        break;
      case 'entries':
      case 'row':
      case 'single':
        this.addBody(body.item);
        break;
      case 'column':
      case 'value':
        this.addValue(body.value, undefined);
        break;
    }
  }

  /** The path in the result that the expression reads; undefined if it reads something else. */
  #pathOf(value: Expression, element: Path | undefined): Path | undefined {
    switch (value.kind) {
      case 'value':
      case 'value-by-index':
        return value.name === this.name ? value.path : undefined;
      case 'result':
        return value.name === this.name ? [] : undefined;
      case 'element':
        return element && [...element, ...value.path];
      default:
        return undefined;
    }
  }
}
