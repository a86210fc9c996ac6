/** What a rule is: it looks at the whole configuration and reports what is wrong. */
import type { Config } from '../config/model.js';
import type { Report } from '../diagnostics/report.js';

export type Rule = (config: Config, report: Report) => void;
