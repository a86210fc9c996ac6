/** The test page of services with `debug: true`. */
export { createTestPage } from './test-page.js';
