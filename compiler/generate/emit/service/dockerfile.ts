/** The Dockerfile of a service. */
import type { Feature } from '../../../read/config/config-model.js';
import type { Assets } from '../../assets.js';
import { fillTemplate } from './yaml-text.js';

/** The health check asks the management port, in services that can have one. */
export function emitDockerfile(assets: Assets, asked: ReadonlySet<Feature>): string {
  const isManaged = asked.has('management');
  return fillTemplate(assets.template('Dockerfile'), {
    variables: isManaged ? 'NODE_ENV=production MANAGEMENT_PORT=8081' : 'NODE_ENV=production',
    healthCheck: isManaged ? [healthCheck] : [],
  });
}

const healthCheck =
  'HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.MANAGEMENT_PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]';
