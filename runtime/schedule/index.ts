/** Timed operations. */
export { createSchedule } from './schedule.js';
