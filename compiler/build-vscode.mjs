/**
 * `npm run build:vscode`: the extension for VS Code in dist/apikiln.vsix, bundled to one file. The same sources give the same bytes.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { strToU8, zipSync } from 'fflate';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = join(root, 'compiler/tools/editor/vscode');

/** The beginning of the time of zip archives, as local time, which is what archives have. */
const fixedTime = new Date(1980, 0, 1);

/** The files of the extension by path in the archive; `extension/` is the folder that VS Code installs. */
export async function extensionFiles() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const grammars = await writtenGrammars();
  const bundle = await bundled();
  const manifest = JSON.parse(readFileSync(join(sources, 'manifest.json'), 'utf8'));
  manifest.version = version;
  manifest.contributes.grammars = grammars.map(({ path, grammar }) => ({
    scopeName: grammar.scopeName,
    path: `./${path}`,
    ...(grammar.injectionSelector === undefined ? {} : { injectTo: ['source.yaml'] }),
  }));
  return new Map([
    ['[Content_Types].xml', contentTypes],
    ['extension.vsixmanifest', packageManifest(manifest)],
    ['extension/LICENSE.txt', readFileSync(join(root, 'LICENSE'), 'utf8')],
    ['extension/README.md', readFileSync(join(sources, 'README.md'), 'utf8')],
    ['extension/extension.js', bundle.text],
    ['extension/package.json', `${JSON.stringify(manifest, null, 2)}\n`],
    ['extension/snippets.json', readFileSync(join(sources, 'snippets.json'), 'utf8')],
    ['extension/third-party-licences.txt', licencesOf(bundle.packages)],
    ...grammars.map(({ path, grammar }) => [`extension/${path}`, JSON.stringify(grammar)]),
  ]);
}

/** The archive. */
export async function packExtension() {
  const files = [...(await extensionFiles())].map(([path, text]) => [path, strToU8(text)]);
  return zipSync(Object.fromEntries(files), { level: 9, mtime: fixedTime });
}

/** Grammars are computed from the tables of the compiler. */
async function writtenGrammars() {
  const { outputFiles } = await build({
    entryPoints: [join(sources, 'grammars.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
    write: false,
  });
  const { text } = outputFiles[0];
  const { grammars } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  return Object.values(grammars()).map((grammar) => ({
    path: `syntaxes/${grammar.scopeName.split('.').at(-1)}.tmLanguage.json`,
    grammar,
  }));
}

/** The code of the extension, and the names of the packages in it. */
async function bundled() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join(sources, 'extension.ts')],
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    // The module that VS Code passes to extensions.
    external: ['vscode'],
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  });
  const folders = Object.keys(metafile.inputs).flatMap(
    (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [],
  );
  return { text: outputFiles[0].text, packages: [...new Set(folders)].sort() };
}

/** The licence of each package, given its folder. */
function licencesOf(folders) {
  const texts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(root, folder)).find((one) => /^licen[cs]e(?:\.\w+)?$/i.test(one));
    if (file === undefined) throw new Error(`${name} has no file with its licence.`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(root, folder, file), 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

const contentTypes = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension=".json" ContentType="application/json"/><Default Extension=".vsixmanifest" ContentType="text/xml"/><Default Extension=".txt" ContentType="text/plain"/><Default Extension=".md" ContentType="text/markdown"/><Default Extension=".js" ContentType="application/javascript"/></Types>
`;

/** The manifest read by the marketplaces. */
function packageManifest({ name, displayName, version, publisher, description, ...rest }) {
  const { categories, keywords, engines, repository } = rest;
  const xml = (text) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${xml(name)}" Version="${xml(version)}" Publisher="${xml(publisher)}"/>
    <DisplayName>${xml(displayName)}</DisplayName>
    <Description xml:space="preserve">${xml(description)}</Description>
    <Tags>${xml(keywords.join(','))}</Tags>
    <Categories>${xml(categories.join(','))}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${xml(engines.vscode)}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace"/>
      <Property Id="Microsoft.VisualStudio.Code.ExecutesCode" Value="true"/>
      <Property Id="Microsoft.VisualStudio.Services.Links.Source" Value="${xml(repository.url)}"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const target = join(root, 'dist/apikiln.vsix');
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, await packExtension());
  console.log(target);
}
