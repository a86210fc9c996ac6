/** The protocol messages with which the embedded PostgreSQL describes statements, and its results. */
import { protocol } from '@electric-sql/pglite';
import { refusalOf, type RawResult } from '../describe-postgres.js';

/** Prepares and describes each text, independently of the others. */
export function messagesFor(texts: readonly string[]): Uint8Array {
  const { serialize } = protocol;
  return Buffer.concat(
    texts.flatMap((text) => [
      serialize.parse({ text }),
      serialize.describe({ type: 'S', name: '' }),
      serialize.sync(),
    ]),
  );
}

/** Parses the results of the texts from the bytes up to the last ReadyForQuery. */
export function readResults(bytes: Uint8Array, texts: readonly string[]): RawResult[] {
  const results: RawResult[] = [];
  let current: RawResult = { parameters: [] };
  new protocol.Parser().parse(bytes, (message) => {
    if (message instanceof protocol.messages.DatabaseError) {
      current = { refusal: refusalOf(message, texts[results.length] ?? '') };
    } else if (message instanceof protocol.messages.ParameterDescriptionMessage) {
      current = { parameters: message.dataTypeIDs };
    } else if (message instanceof protocol.messages.RowDescriptionMessage && 'parameters' in current) {
      const columns = message.fields.map(({ name, tableID, columnID, dataTypeID, dataTypeModifier }) => {
        return { name, table: tableID, column: columnID, type: dataTypeID, modifier: dataTypeModifier };
      });
      current = { ...current, columns };
    } else if (message.name === 'readyForQuery') {
      results.push(current);
      current = { parameters: [] };
    }
  });
  return results;
}
