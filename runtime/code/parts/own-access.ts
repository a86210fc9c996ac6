/** The exports of the part `own-access`, which generated code and user code import. */
export { ownAccess } from '../own-access.js';
