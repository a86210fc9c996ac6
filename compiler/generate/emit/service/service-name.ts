/** The name of an installed service: of its package, its image, and its Kubernetes objects. */

/** Default service name. */
export const unnamed = 'service';

/** Longer names would not leave enough room for CronJob names, which are limited to 52 characters. */
const longest = 27;

/** A name that npm, image registries and Kubernetes accept. */
export function isServiceName(text: string): boolean {
  return text.length <= longest && /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/.test(text);
}

/** For the message about invalid names. */
export const serviceNameRule = `Use at most ${longest} lower-case letters, digits and hyphens, with a letter first and no hyphen last, for example shop.`;
