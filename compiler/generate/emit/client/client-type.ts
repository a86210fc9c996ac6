/** Types of a client's requests and responses as TypeScript. */
import {
  generic,
  intersection,
  listType,
  literal,
  name,
  recordType,
  tupleType,
  union,
  type RecordType,
  type Type,
} from '../../code/code.js';
import type { ClientRecord, ClientType } from '../../plan/client/client-types.js';

export function typeOfClient(type: ClientType): Type {
  switch (type.kind) {
    case 'unknown':
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
    case 'undefined':
    case 'Blob':
      return name(type.kind);
    case 'literal':
      return literal(type.value);
    case 'named':
      return name(type.name);
    case 'list':
      return listType(typeOfClient(type.of));
    case 'lines':
      return generic(name('AsyncIterable'), typeOfClient(type.of));
    case 'tuple':
      return tupleType(type.of.map(typeOfClient));
    case 'union':
      return union(...type.of.map(typeOfClient));
    case 'intersection':
      return intersection(...type.of.map(typeOfClient));
    case 'record':
      return recordOf(
        type,
        type.fields.every(({ description }) => description === undefined),
      );
  }
}

/** Comments need lines of their own, so a record with comments is not flat. */
export function recordOf({ fields, others }: ClientRecord, isFlat = false): RecordType {
  return recordType(
    fields.map(({ name: key, type, isOptional, description }) => ({
      key,
      type: typeOfClient(type),
      isOptional,
      doc: description,
    })),
    others && typeOfClient(others),
    isFlat,
  );
}
