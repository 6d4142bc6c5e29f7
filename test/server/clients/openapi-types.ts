import { join } from 'node:path';
import { generateApi } from 'swagger-typescript-api';
import type { Kind, PluginId } from '../../../core/contracts/manifest.ts';
import { type Cleanup, startServer } from '../../support/server.ts';

/** What the clients are made from: the OpenAPI document that a server serves, and types of it. */

export const ROOT = join(import.meta.dirname, '../../..');
export const DOCUMENT = 'server/clients/openapi.json';
export const TYPES = 'server/clients/javascript/api-types.ts';
/** Rewrites both. */
export const COMMAND = 'npm run openapi';

export interface ServedDocument {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** The document of a server of this checkout with its default settings, and the plugins that it comes from. */
export async function served(t: Cleanup): Promise<{ document: ServedDocument; plugins: PluginId[] }> {
  const client = await startServer(t);
  const plugins = (await client.get('/v1/plugins')).json<{ kind: Kind; name: string }[]>();
  return {
    document: (await client.get('/openapi.json')).json(),
    plugins: plugins.map(({ kind, name }): PluginId => `${kind}/${name}`),
  };
}

/** The first line of the file of types, which says with which plugins it was made. */
const headOf = (plugins: readonly PluginId[]) =>
  `/** Types of the OpenAPI document, written by \`${COMMAND}\` with ${plugins.join(', ')}. */\n\n`;

/** The plugins without which what is served is not what the clients were made from. */
export function pluginsOf(types: string): PluginId[] {
  return [...types.slice(0, types.indexOf('\n')).matchAll(/[a-z]+\/[a-z0-9-]+/g)].map(
    ([id]) => id as PluginId,
  );
}

/** The source of the types: those of the document, and tables of what each plugin takes and answers. */
export async function typesOf(document: ServedDocument, plugins: readonly PluginId[]): Promise<string> {
  const { files } = await generateApi({
    spec: structuredClone(document) as never,
    output: false,
    silent: true,
    generateClient: false,
    // A name that is not that of a global class.
    hooks: { onFormatTypeName: (name) => (name === 'Error' ? 'ErrorBody' : name) },
    codeGenConstructs: (given) => ({ Keyword: { ...given.Keyword, Any: 'unknown' } }),
  });
  const types = files[0]?.fileContent ?? '';
  return headOf(plugins) + types.slice(types.indexOf('export')) + tablesOf(document);
}

/** Which types belong to the name of each chunker and refinery. */
function tablesOf({ paths }: ServedDocument): string {
  const tables = { ChunkerOptions: '', ChunkerChunks: '', RefineryOptions: '', RefineryChunks: '' };
  for (const [path, { post = {} }] of Object.entries(paths)) {
    const [, kind, name] = /^\/v1\/(chunk|refine)\/([^/]+)$/.exec(path) ?? [];
    if (kind === undefined) continue;
    const described = JSON.stringify(post);
    const options = /"#\/components\/schemas\/(\w+(?:Chunker|Refinery)Options)"/.exec(described)?.[1];
    const chunk = /"200":.*?"type":"array","items":\{"\$ref":"#\/components\/schemas\/(\w+)"/.exec(
      described,
    )?.[1];
    const table = kind === 'chunk' ? 'Chunker' : 'Refinery';
    tables[`${table}Options`] += `${JSON.stringify(name)}: ${options ?? 'object'};`;
    tables[`${table}Chunks`] += `${JSON.stringify(name)}: ${chunk ?? 'object'};`;
  }
  return Object.entries(tables)
    .map(([name, members]) => `\nexport interface ${name} { ${members} }\n`)
    .join('');
}
