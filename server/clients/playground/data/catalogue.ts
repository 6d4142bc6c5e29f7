import { call } from './api.ts';
import {
  type Catalogue,
  type Components,
  type Pipeline,
  type Plugin,
  type Preset,
  resolve,
  type Schema,
} from './model.ts';

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
}

interface Media {
  readonly schema: Schema;
  readonly example?: Readonly<Record<string, unknown>>;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, { readonly post?: Operation }>>;
  readonly components: { readonly schemas: Components };
}

interface Listed {
  readonly kind: string;
  readonly name: string;
  readonly summary: string;
  readonly missing: readonly string[];
}

export async function readCatalogue(): Promise<Catalogue> {
  const [document, listed, tokenizers, models, presets, pipelines] = await Promise.all([
    call<OpenApi>('openapi.json'),
    call<Listed[]>('v1/plugins'),
    call<{ name: string }[]>('v1/tokenizers'),
    call<{ name: string; aliases: string[] }[]>('v1/models'),
    call<Preset[]>('v1/presets'),
    readPipelines(),
  ]);
  const standard = requestOf(document.body, '/v1/embed')?.options.embedding_model?.default;
  const named = models.body.find(({ name, aliases }) => [name, ...aliases].some((one) => one === standard));
  const plugins = listed.body.flatMap((plugin) => pluginOf(plugin, document.body) ?? []);
  return {
    plugins: plugins.sort((a, b) => a.missing.length - b.missing.length),
    presets: presets.body,
    pipelines,
    tokenizers: tokenizers.body.map(({ name }) => name),
    models: models.body.flatMap(({ name, aliases }) => [name, ...aliases]),
    model: (named ?? models.body[0])?.name ?? '',
  };
}

export async function readPipelines(): Promise<readonly Pipeline[]> {
  const answer = await call<Pipeline[]>('v1/pipelines').catch(() => undefined);
  return answer?.body ?? [];
}

/** Request members that the form does not show: the input, and members that the page sets itself. */
const NO_OPTIONS = ['text', 'documents', 'chunks', 'include', 'namespace', 'offset_unit'];

function pluginOf({ kind, name, summary, missing }: Listed, document: OpenApi): Plugin | undefined {
  if (kind !== 'chunker' && kind !== 'refinery') return undefined;
  const request = requestOf(document, `/v1/${kind === 'chunker' ? 'chunk' : 'refine'}/${name}`);
  return request && { kind, name, summary, missing, ...request };
}

/** The options and the example of a request. @param end end of the request's path; a prefix may precede it */
function requestOf(
  { paths, components }: OpenApi,
  end: string,
): Pick<Plugin, 'options' | 'example'> | undefined {
  const path = Object.keys(paths).find((one) => one.endsWith(end));
  const media = path === undefined ? undefined : paths[path]?.post?.requestBody?.content['application/json'];
  if (media === undefined) return undefined;
  const { anyOf, ...schema } = resolve(media.schema, components.schemas);
  const body = resolve(anyOf?.[0] ?? schema, components.schemas);
  const options = Object.entries(body.properties ?? {}).filter(([option]) => !NO_OPTIONS.includes(option));
  const resolved = options.map(([option, one]) => [option, resolve(one, components.schemas)]);
  return { options: Object.fromEntries(resolved), example: media.example };
}
