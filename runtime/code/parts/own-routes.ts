/** The exports of the part `own-routes`, which generated code and user code import. */
export { ownOperation, ownRoutes } from '../own-routes.js';
