/** JSON schemas of bodies that leave fields out. */
import type { Omitted } from '../../../runtime/responses/omitted-fields.js';
import { isJsonMap, type JsonMap } from '../../read/json.js';
import { mayBeOmitted } from '../operations/omitted-fields.js';

/** The schema, in which properties that can be omitted are optional and not nullable. */
export function withOmissions(schema: JsonMap, omitted: Omitted): JsonMap {
  const { properties, required, items, ...others } = schema;
  const named = isJsonMap(properties) ? Object.entries(properties).filter(isOfMap) : undefined;
  const optional = new Set(
    (named ?? []).filter(([, one]) => mayBeOmitted(kindsOf(one), omitted)).map(([name]) => name),
  );
  const left = Array.isArray(required) ? required.filter((name) => !optional.has(String(name))) : [];
  return {
    ...others,
    ...(isJsonMap(items) ? { items: withOmissions(items, omitted) } : {}),
    ...(left.length === 0 ? {} : { required: left }),
    ...(named === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            named.map(([name, one]) => [name, withOmissions(withoutNull(one), omitted)]),
          ),
        }),
  };
}

/** Undefined for a schema that allows any value. */
function kindsOf({ type }: JsonMap): readonly string[] | undefined {
  return type === undefined ? undefined : [type].flat().map(String);
}

/** A property that is always null is never sent, so its schema stays. */
function withoutNull(schema: JsonMap): JsonMap {
  const types = (kindsOf(schema) ?? []).filter((type) => type !== 'null');
  if (types.length === 0) return schema;
  const { enum: values } = schema;
  return {
    ...schema,
    type: types.length === 1 ? types[0] : types,
    ...(Array.isArray(values) ? { enum: values.filter((value) => value !== null) } : {}),
  };
}

function isOfMap(entry: [string, unknown]): entry is [string, JsonMap] {
  return isJsonMap(entry[1]);
}
