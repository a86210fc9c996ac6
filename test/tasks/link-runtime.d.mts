/** Does what `npm install` would do for a service that finds all other packages in this repository. */
export function linkRuntime(folder: string): void;
