/** The HTML of the test page. Its paths are relative, so that it works behind a proxy that removes a prefix. */

/** `title`: that of the service. */
export function html(title: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${escaped(title)}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <link rel="icon" type="image/png" href="docs-ui/favicon.png">
    <link rel="stylesheet" href="docs-ui/swagger-ui.css">
    <link rel="stylesheet" href="docs-ui/page.css">
  </head>
  <body>
    <noscript>The test page needs JavaScript.</noscript>
    <div id="test-page"></div>
    <script src="docs-ui/swagger-ui.js"></script>
    <script src="docs-ui/page.js" type="module"></script>
  </body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
