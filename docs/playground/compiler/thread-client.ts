/** In place of `compiler/analyze/database/embedded/thread-client.ts`: the compiler runs in a worker already. */
export { startSchema as startInThread } from '../../../compiler/analyze/database/embedded/start-schema.js';
