/** Joins that only a JSON response reads, and that have nothing but columns: the bytes of their values are copied into it (decisions 8). */
import type { Body, BuiltRow, Entries, RowSource } from '../../../analyze/mapping/body-parts.js';
import type { Operation, Response } from '../../../read/config/config-model.js';
import { neverHasBody } from '../../../read/config/status.js';
import { readsOf, readsResult } from './list-reads.js';
import type { DataStep, JoinedColumns, JoinedFields, JoinedRows, StepPlan } from '../operation-plan.js';
import { plainReadOf } from '../overlap.js';
import { planContent } from '../response-plan.js';

/** Undefined where the response needs the rows. `isCalled`: another operation reads the response of this one. */
export function cellJoinOf(
  operation: Operation,
  bodies: ReadonlyMap<Response, Body>,
  steps: readonly StepPlan[],
  isCalled: boolean,
): JoinedRows | undefined {
  const { endpoint, triggers, responses, transaction } = operation;
  const [response, ...others] = responses;
  if (endpoint === undefined || triggers.length > 0 || transaction || isCalled) return undefined;
  if (response === undefined || others.length > 0 || !isPlainJson(response)) return undefined;
  const body = bodies.get(response);
  if (body?.kind !== 'entries' || body.take !== 'every') return undefined;
  const reader = new Reader(operation, steps);
  const joined = reader.objects(body);
  return joined && joined.joins > 0 ? { ...joined, steps: reader.read } : undefined;
}

function isPlainJson(response: Response): boolean {
  const { fileName, statuscode } = response;
  return planContent(response) === undefined && fileName === undefined && !neverHasBody(statuscode.value);
}

/** What the objects have, where it is nothing but columns. */
class Reader {
  readonly read = new Set<StepPlan>();
  private readonly written: Operation;

  constructor(
    operation: Operation,
    private readonly steps: readonly StepPlan[],
  ) {
    // What a body does not use of the mappings reads nothing.
    this.written = { ...operation, mappings: [] };
  }

  objects({ of, item }: Entries): JoinedColumns | undefined {
    const [{ row, of: source }, ...others] = of;
    if (others.length > 0 || row.isOptional || source.steps.length > 1) return undefined;
    const step = this.stepOf(source);
    const fields = step && this.fields(item, row, step);
    if (step === undefined || fields === undefined) return undefined;
    this.read.add(step);
    return { step, fields, joins: joinsIn(fields) };
  }

  private fields(item: Body, row: BuiltRow, step: DataStep): JoinedFields | undefined {
    if (item.kind !== 'object') return undefined;
    const fields: JoinedFields[number][] = [];
    for (const { key, value } of item.fields) {
      const found = key === '__proto__' ? undefined : this.field(value, row, step);
      if (found === undefined) return undefined;
      fields.push([key, found]);
    }
    return fields;
  }

  private field(value: Body, row: BuiltRow, step: DataStep): JoinedFields[number][1] | undefined {
    switch (value.kind) {
      case 'object':
        return this.fields(value, row, step);
      case 'value':
        return columnOf(value, row, step);
      case 'entries': {
        const [{ of }] = value.of;
        const [join] = of.steps;
        const isOfRow = of.start.every((start) => isSame(start, row));
        const objects = join && isOfRow ? this.objects(value) : undefined;
        return join && objects && { join, take: value.take, objects };
      }
      default:
        return undefined;
    }
  }

  /** The READ that has the rows, if nothing else reads them. */
  private stepOf({ fulfillment }: RowSource): DataStep | undefined {
    const found = this.steps.find((step) => step.fulfillment === fulfillment);
    const read = found && plainReadOf(found);
    if (read === undefined || read.statement.list !== undefined) return undefined;
    const { step } = read;
    if (step.isFirstRow || step.isReadHere || step.index !== undefined || step.page !== undefined)
      return undefined;
    return readsOf(fulfillment, this.written, readsResult) === 0 ? step : undefined;
  }
}

function joinsIn(fields: JoinedFields): number {
  return fields.reduce((sum, [, value]) => {
    if (typeof value === 'string') return sum;
    return sum + ('objects' in value ? 1 : joinsIn(value));
  }, 0);
}

function isSame(one: BuiltRow, other: BuiltRow): boolean {
  return one.fulfillment === other.fulfillment && one.depth === other.depth;
}

/** The column of the row that the object is built of. */
function columnOf(
  { value, reads }: Extract<Body, { readonly kind: 'value' }>,
  row: BuiltRow,
  { row: plan }: DataStep,
): string | undefined {
  const [read] = reads;
  if (value.kind !== 'value' || read?.row === undefined || !isSame(read.row, row)) return undefined;
  const [segment, ...deeper] = value.path;
  if (segment?.kind !== 'name' || deeper.length > 0) return undefined;
  return plan === undefined || plan.columns.has(segment.name) ? segment.name : undefined;
}
