/** How the schemes of signatures are called. */
export const signatureSchemes = ['github', 'stripe', 'slack', 'standard-webhooks'] as const;
export type SignatureScheme = (typeof signatureSchemes)[number];
