/** The layout of generated code: options that oxfmt and prettier share. */
export const layout = {
  printWidth: 100,
  singleQuote: true,
  trailingComma: 'all',
  embeddedLanguageFormatting: 'off',
} as const;
