/** What is remembered of a statement text from one run to the next. */
import { rowDecoder, type Column, type Decode, type RowDecoder } from './rows.js';

export class PreparedStatement<Type, Raw> {
  private columns: readonly Column<Type>[] | undefined;
  private decode: RowDecoder<Raw> | undefined;

  /** The name under which connections know it. */
  constructor(public name: string) {}

  /** The decoder of its rows; undefined when the columns are not those of last time. */
  decoder(columns: readonly Column<Type>[]): RowDecoder<Raw> | undefined {
    const known = this.columns;
    if (known?.length !== columns.length) return undefined;
    const same = columns.every(
      ({ name, type }, index) => known[index]?.name === name && known[index].type === type,
    );
    return same ? this.decode : undefined;
  }

  /** Makes the decoder of its rows, and remembers it. */
  learn(columns: readonly Column<Type>[], decoders: readonly Decode<Raw>[]): RowDecoder<Raw> {
    const names = columns.map(({ name }) => name);
    const decode = rowDecoder(names, decoders);
    this.columns = columns;
    this.decode = decode;
    return decode;
  }
}
