/**
 * A built service, installed by npm, and by Yarn with Plug'n'Play. TypeScript does not find packages with Plug'n'Play, so npm has built the
 * service.
 */
import { describeManagers } from './package-managers.js';

describeManagers(['npm', "Yarn 4 with Plug'n'Play"]);
