/** A built service, installed by the other package managers. */
import { describeManagers } from './package-managers.js';

describeManagers(['pnpm', 'Yarn 4', 'Yarn 1', 'Bun']);
