/** A built service, installed by pnpm, Yarn and Bun. */
import { describeManagers } from './package-managers.js';

describeManagers(['pnpm', 'Yarn 4', 'Yarn 1', 'Bun']);
