/** The exports of the part `basicauth`, which generated code and user code import. */
export { basicAuth } from './basic-auth.js';
