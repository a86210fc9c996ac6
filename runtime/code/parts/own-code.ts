/** The exports of the part `own-code`, which generated code and user code import. */
export type { InputFile } from '../input-file.js';
export { ownFunction } from '../own-function.js';
export { openOwnCode, ownCode, type OwnContext } from '../own-code.js';
