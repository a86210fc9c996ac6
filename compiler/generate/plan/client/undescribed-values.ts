/** The types of a service's values without the fields that its API description declares: recursive models would have no end. */
import type { KnownValues } from '../../../analyze/describe/known-values.js';
import type { Fields, ValueType } from '../../../analyze/types/value-type.js';

export function undescribedValues(values: KnownValues): KnownValues {
  return {
    ...values,
    built: (operation) =>
      new Map([...values.built(operation)].map(([schema, type]) => [schema, undescribed(type)])),
    mapped: (operation, value) => {
      const type = values.mapped(operation, value);
      return type && undescribed(type);
    },
  };
}

function undescribed({ fields, element, ...type }: ValueType): ValueType {
  return {
    ...type,
    ...(element !== undefined && { element: undescribed(element) }),
    ...(fields !== undefined && fields.origin.kind !== 'described' && { fields: withinFields(fields) }),
  };
}

function withinFields(fields: Fields): Fields {
  const within = (type: ValueType | undefined): ValueType | undefined => type && undescribed(type);
  return {
    ...fields,
    typeOf: (name) => within(fields.typeOf(name)),
    ...(fields.optional !== undefined && { optional: (name: string) => within(fields.optional?.(name)) }),
  };
}
