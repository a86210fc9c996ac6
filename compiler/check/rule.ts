/** What a rule is: it looks at the whole configuration, and at the API description where there is one, and reports what is wrong. */
import type { Config } from '../config/config-model.js';
import type { Report } from '../diagnostics/report.js';
import type { ServiceTypes } from '../types/service-types.js';
import type { ApiDescription } from '../openapi/api-model.js';

export type Rule = (
  config: Config,
  report: Report,
  description: ApiDescription | undefined,
  types: ServiceTypes,
) => void;
