/** The exports of the part `apikey`, which generated code and user code import. */
export { apiKey } from './api-key.js';
