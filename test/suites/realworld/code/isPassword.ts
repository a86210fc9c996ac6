/** Whether a password matches a stored hash. Takes the same time if there is no hash. */
import { timingSafeEqual } from 'node:crypto';
import type { IsPasswordInput, IsPasswordResult } from '../functions.js';
import { derived } from './hashOf.js';

const ofNobody = `${'0'.repeat(32)}:${'0'.repeat(64)}`;

export async function isPassword({ password, hash }: IsPasswordInput): Promise<IsPasswordResult> {
  const [salt = '', kept = ''] = (hash ?? ofNobody).split(':');
  const given = await derived(password, Buffer.from(salt, 'hex'));
  return timingSafeEqual(given, Buffer.from(kept, 'hex')) && hash !== null;
}
