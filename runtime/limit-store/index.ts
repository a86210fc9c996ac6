/** The exports of the part `limit-store`, which generated code imports. */
export { limitStore } from './limit-store.js';
