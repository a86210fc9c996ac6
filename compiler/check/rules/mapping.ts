/** Mappings against the API description (decisions 8.1). */
import type { Mapping, Operation } from '../../config/config-model.js';
import { allFulfillments } from '../../config/walk.js';
import { Report } from '../../diagnostics/report.js';
import { nearest } from '../../diagnostics/suggest.js';
import { describedEndpoint, describedStatus } from '../../mapping/described.js';
import { namesRead } from '../../mapping/entries.js';
import { joinsOf } from '../../mapping/written-joins.js';
import { mappedResponses } from '../../mapping/mapped-responses.js';
import { shapeOf } from '../../mapping/shape.js';
import type { ApiDescription, ApiSchema } from '../../openapi/api-model.js';
import type { Rule } from '../rule.js';
import { checkJoins } from './join.js';

export const mapping: Rule = ({ operations }, report, description) => {
  for (const operation of operations) {
    const place = operation.fields.get('mappings');
    if (place === undefined) checkUse(operation, description, report);
    else if (operation.endpoint === undefined)
      report.add('mappings-without-endpoint', place, { operation: operation.name.value });
    else if (description === undefined) report.add('mappings-without-description', place);
    else {
      const mappings = operation.mappings.map((mapping) => checkModel(mapping, description, report));
      // Where a model is not known, nothing can be said of what is built from it.
      const known = mappings.flatMap((mapping) => mapping ?? []);
      if (known.length === mappings.length) checkUse({ ...operation, mappings: known }, description, report);
    }
  }
};

/** The mapping with what was meant by misspelt names, so that one mistake is told once; undefined where nobody can tell. */
function checkModel(
  { model, fields }: Mapping,
  { models }: ApiDescription,
  report: Report,
): Mapping | undefined {
  const name = models.has(model.value) ? model.value : nearest(model.value, models.keys());
  const schema = models.get(name ?? '');
  if (name !== model.value)
    report.add('unknown-model', model.place, { name: model.value, nearest: name, names: [...models.keys()] });
  if (name === undefined || schema === undefined) return undefined;
  const known = fieldsOf(schema);
  const shape = shapeOf(schema);
  const items = shape.kind === 'list' ? shape.items.model : undefined;
  const meant = fields.map(({ field, value }) => {
    if (known.includes(field.value)) return { field, value };
    const near = nearest(field.value, known);
    const parameters = { model: name, field: field.value, nearest: near, fields: known, items };
    report.add('unknown-model-field', field.place, parameters);
    return near === undefined ? undefined : { field: { ...field, value: near }, value };
  });
  const told = meant.flatMap((field) => field ?? []);
  return told.length === meant.length ? { model: { ...model, value: name }, fields: told } : undefined;
}

function fieldsOf(schema: ApiSchema): readonly string[] {
  const shape = shapeOf(schema);
  return shape.kind === 'list' ? [] : [...shape.properties.keys()];
}

/** What keeps responses from being built, and which mappings and joins no response uses. */
function checkUse(operation: Operation, description: ApiDescription | undefined, report: Report): void {
  const { mappings, joins } = mappedResponses(operation, description, report);
  // An endpoint that is not described has been reported as that.
  const endpoint = describedEndpoint(operation, description);
  if (operation.mappings.length > 0 && endpoint === undefined) return;
  // So has a status that is not described.
  if (operation.responses.some((response) => endpoint && describedStatus(response, endpoint) === undefined))
    return;
  // Where something is wrong, it may be why something else is not used.
  const mistakes = new Report();
  checkJoins(operation, mistakes);
  mappedResponses(operation, description, mistakes);
  if (mistakes.hasErrors || !isReadable(operation)) return;
  for (const mapping of operation.mappings) {
    const { model } = mapping;
    if (!mappings.has(mapping))
      report.add('mapping-never-used', model.place, { model: model.value, operation: operation.name.value });
  }
  const read = new Set(
    operation.mappings
      .flatMap(({ fields }) => fields)
      .flatMap(({ value }) => (value === undefined ? [] : namesRead(value))),
  );
  for (const join of joinsOf(operation)) {
    const { condition } = join;
    if ([...joins].some((used) => used.condition === condition)) continue;
    const [left, right] = [join.left.fulfillment, join.right.fulfillment];
    const unread = [left, right].filter((name) => !read.has(name));
    const hasMappings = operation.mappings.length > 0;
    report.add('join-never-used', condition.place, { left, right, unread, hasMappings });
  }
}

/** Whether every field of the mappings could be read, and reads fulfillments that there are. */
function isReadable({ fulfillments, mappings }: Operation): boolean {
  const names = new Set(allFulfillments(fulfillments).map(({ fulfillment }) => fulfillment.name.value));
  return mappings
    .flatMap(({ fields }) => fields)
    .every(({ value }) => value !== undefined && namesRead(value).every((name) => names.has(name)));
}
