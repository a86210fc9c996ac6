/** `npm run packages`: writes templates/packages.json, the packages that services may install, from package-lock.json. */
import { readFileSync, writeFileSync } from 'node:fs';
import { lockedPackages } from './locked-packages.mjs';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
writeFileSync('templates/packages.json', `${JSON.stringify(lockedPackages(lock), null, 2)}\n`);
