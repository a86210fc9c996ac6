/** The state of the page in its URL: the files that differ from an example, and the request. */
import type { Project } from './messages.js';

export interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: string;
  readonly body: string;
}

export interface State {
  readonly example: string;
  readonly changed: Partial<Project>;
  readonly request?: Partial<Request> | undefined;
}

/** Text for the fragment of a URL: JSON, deflated, in base64url. */
export async function encodeState(state: State): Promise<string> {
  const bytes = await transformed(
    new TextEncoder().encode(JSON.stringify(state)),
    new CompressionStream('deflate-raw'),
  );
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Undefined for a fragment that is not a state. */
export async function decodeState(fragment: string): Promise<State | undefined> {
  try {
    const text = atob(fragment.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    const json = await transformed(bytes, new DecompressionStream('deflate-raw'));
    const state = JSON.parse(new TextDecoder().decode(json)) as Partial<State>;
    if (typeof state.example !== 'string' || typeof state.changed !== 'object') return undefined;
    const strings = [...Object.values(state.changed), ...Object.values(state.request ?? {})];
    return strings.every((one) => typeof one === 'string') ? (state as State) : undefined;
  } catch {
    return undefined;
  }
}

async function transformed(
  bytes: Uint8Array<ArrayBuffer>,
  through: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(through)).arrayBuffer());
}
