/** The messages that make the PostgreSQL inside the process describe statements, and its results. */
import { protocol } from '@electric-sql/pglite';
import { refusalOf, type RawResult } from '../describe-postgres.js';

/** Each text is prepared and described; the outcome of one does not affect the next. */
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

/** The results of the texts, in the bytes up to the last ReadyForQuery. */
export function readResults(bytes: Uint8Array, texts: readonly string[]): RawResult[] {
  const results: RawResult[] = [];
  let current: RawResult = { parameters: [] };
  new protocol.Parser().parse(bytes, (message) => {
    if (message instanceof protocol.messages.DatabaseError) {
      current = { refusal: refusalOf(message, texts[results.length] ?? '') };
    } else if (message instanceof protocol.messages.ParameterDescriptionMessage) {
      current = { parameters: message.dataTypeIDs };
    } else if (message instanceof protocol.messages.RowDescriptionMessage && 'parameters' in current) {
      const columns = message.fields.map(({ name, tableID, columnID, dataTypeID }) => {
        return { name, table: tableID, column: columnID, type: dataTypeID };
      });
      current = { ...current, columns };
    } else if (message.name === 'readyForQuery') {
      results.push(current);
      current = { parameters: [] };
    }
  });
  return results;
}
