/** What `npm install` does for a service that finds all other packages in this repository. */
export function linkRuntime(folder: string): void;
