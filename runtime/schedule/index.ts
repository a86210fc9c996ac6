/** The exports of the part `schedule`, which generated code and user code import. */
export { createSchedule } from './schedule.js';
