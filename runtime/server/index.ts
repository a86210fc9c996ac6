/** The process: its start, settings, log and end. */
export { startService } from './service.js';
