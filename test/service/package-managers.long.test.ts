/** A built service, installed by npm and by Yarn with Plug'n'Play, where the TypeScript compiler finds no packages: npm has built it. */
import { describeManagers } from './package-managers.js';

describeManagers(['npm', "Yarn 4 with Plug'n'Play"]);
