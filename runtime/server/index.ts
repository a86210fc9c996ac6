/** The exports of the part `server`, which generated code and user code import. */
export { startService } from './service.js';
