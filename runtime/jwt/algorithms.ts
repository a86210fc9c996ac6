/** The algorithms of signatures of tokens, by the kind of key: a public key is never the secret of an HS algorithm. */

export const secretAlgorithms = ['HS256', 'HS384', 'HS512'];
const rsaAlgorithms = ['RS256', 'RS384', 'RS512'];
const pssAlgorithms = ['PS256', 'PS384', 'PS512'];

/** By the type of the key, for elliptic curves by their name. */
const byKind: Readonly<Record<string, readonly string[]>> = {
  rsa: [...rsaAlgorithms, ...pssAlgorithms],
  'rsa-pss': pssAlgorithms,
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512'],
  ed25519: ['EdDSA', 'Ed25519'],
};

/** The algorithms of a public key; undefined for a kind that tokens do not have. */
export function publicAlgorithms(kind: string): readonly string[] | undefined {
  return Object.hasOwn(byKind, kind) ? byKind[kind] : undefined;
}

/** The algorithms of all public keys. */
export const allPublicAlgorithms: readonly string[] = [...new Set(Object.values(byKind).flat())];

export const allAlgorithms: readonly string[] = [...secretAlgorithms, ...allPublicAlgorithms];
