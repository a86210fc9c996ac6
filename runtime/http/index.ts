/** Requests to handlers: what the router and the authentications of a service are made of. */
export { basicAuth } from './basic-auth.js';
export { createRouter } from './router.js';
