/** Changes for those who deploy a service: settings of the environment that it starts with, and those that keep it from starting. */
import { features, featureSettings, type EnvironmentPlan } from '../../generate/plan/environment.js';
import type { ServicePlan } from '../../generate/plan/plan.js';

interface Deployed extends Pick<ServicePlan, 'datasources'> {
  readonly environment: Pick<EnvironmentPlan, 'features'>;
}

/** A sentence for each part of the service that only one of the two has. */
export function deploymentChanges(before: Deployed, after: Deployed): string[] {
  const hasDatabase = after.datasources.some(({ type }) => type === 'db');
  return features.flatMap((feature) => {
    const has = after.environment.features.has(feature);
    const isServers = feature === 'servers';
    // Without a database nothing asks for several servers of one.
    if (has === before.environment.features.has(feature) || (isServers && !hasDatabase)) return [];
    const [setting = ''] = featureSettings[feature];
    if (has)
      return [
        `'${feature}' is in features now: the service starts where ${setting} is set${isServers ? ', and with several hosts in the URL of a database' : ''}`,
      ];
    return [
      `'${feature}' is not in features any more: where ${setting} is set${isServers ? ', or the URL of a database has several hosts' : ''}, the service does not start`,
    ];
  });
}
