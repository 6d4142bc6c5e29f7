import type { FromSchema } from 'json-schema-to-ts';

/** The kinds of plugins. Each kind has a folder under `plugins/`, named by its plural. */
export const KINDS = ['chunker', 'refinery', 'reader', 'sink', 'embedding', 'tokenizer'] as const;
export type Kind = (typeof KINDS)[number];

/** Id of a plugin: `chunker/token`. */
export type PluginId = `${Kind}/${string}`;

/** Version of these contracts (semver). In `engine`, a plugin declares the versions that it supports. */
export const PLUGIN_CONTRACT_VERSION = '2.0.0';

export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | object;
}

/** Schema of a plugin without options. */
export const NO_OPTIONS: ObjectSchema = { type: 'object', properties: {} };

const names = { type: 'array', items: { type: 'string', minLength: 1 } } as const;
const schemas = { type: 'object', additionalProperties: { type: 'object' } } as const;

/** Schema of a plugin's manifest. Manifests are data, read without loading the plugin's dependencies. */
export const manifestSchema = {
  type: 'object',
  required: ['kind', 'name', 'summary'],
  properties: {
    kind: { enum: KINDS },
    name: {
      type: 'string',
      pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
      maxLength: 64,
      description: 'Name of the folder, and of the route.',
    },
    summary: { type: 'string', minLength: 1, description: 'One sentence for the documentation.' },
    version: {
      type: 'string',
      minLength: 1,
      description: 'Version of the plugin (semantic versioning): `1.2.0`.',
    },
    engine: {
      type: 'string',
      minLength: 1,
      description:
        'Versions of the plugin contract that it is written for, as a semver range: `^2.0.0`. If the server has another version, it logs a warning.',
    },
    options: {
      title: 'ObjectSchema',
      type: 'object',
      required: ['type', 'properties'],
      properties: { type: { const: 'object' }, properties: schemas },
      description: "The plugin's own request parameters, with types, bounds, defaults and descriptions.",
    },
    example: {
      type: 'object',
      description:
        'A request body, without secrets or files, that works when pasted; for a sink, its options.',
    },
    fields: {
      ...schemas,
      description:
        'Fields that a chunker or refinery adds to chunks, as JSON Schemas; for the documentation.',
    },
    reports: {
      type: 'object',
      propertyNames: { pattern: '^[a-z][a-z0-9-]*$' },
      additionalProperties: { type: 'string', minLength: 1 },
      description:
        'Response metadata that a chunker or refinery may `report`, by name, each with its meaning; its header is documented.',
    },
    needs: {
      type: 'object',
      properties: {
        packages: { ...names, description: 'npm packages, imported inside the factory.' },
        packageFiles: {
          type: 'object',
          additionalProperties: names,
          description:
            'For packages that contain much more than the plugin reads: the files that it reads, as globs. Images are built without the others.',
        },
        env: { ...names, description: 'Environment variables that must be set and not empty.' },
        files: { ...names, description: "Files, relative to the plugin's folder." },
      },
      additionalProperties: false,
      description: 'What the plugin must find on the machine before it can run.',
    },
    reads: {
      ...names,
      description:
        'Environment variables that the plugin reads if they are set; it is given these and those of `needs.env`.',
    },
    urls: {
      ...names,
      description:
        'Like `reads`, for addresses of services: a value that is not an http or https URL stops the start.',
    },
    uses: {
      type: 'array',
      items: { title: 'Use', type: 'string', minLength: 1 },
      description:
        'What the plugin is given: kinds (`tokenizer`), opened by the name in the request, and single plugins (`chunker/sentence`).',
    },
    chooses: {
      type: 'array',
      items: { title: 'Plugin', type: 'string', pattern: '^[a-z]+/[a-z0-9-]+$' },
      description:
        'Plugins between which this one chooses (`chunker/sentence`). It is given those that are here and can run. Their options appear under their names among its own, except those that it has itself, and the fields and reports they declare count as its own.',
    },
    chosenDefaults: {
      ...schemas,
      description: 'Other defaults for options of the plugins in `chooses`, by plugin and option name.',
    },
    guarantees: {
      type: 'object',
      properties: {
        lossless: {
          type: 'boolean',
          description: 'The chunks cover the whole text: without overlap, joined, they are the text.',
        },
        bounded: {
          type: 'boolean',
          description: 'No chunk has more than `chunk_size` tokens, unless it is one code point.',
        },
      },
      additionalProperties: false,
      description: 'What the plugin promises; the contract suite checks it.',
    },
    changesCount: {
      type: 'boolean',
      description:
        'For a refinery: it may drop, merge or split chunks, and so return a different number of them.',
    },
    light: {
      type: 'boolean',
      description:
        'Loads little and is always quick on a short text, so such requests may run on the event loop, where a slow one blocks the whole server. Plugins without it run only in worker threads.',
    },
    guarded: {
      type: 'boolean',
      description:
        'For a reader: it parses files in a way that a hostile one may make slow or large. The server runs it in a thread of its own, which is ended when it takes too long or too much memory. It must not be `light`, and can use single readers only.',
    },
    largeWebAssembly: {
      type: 'boolean',
      description:
        'Compiles WebAssembly functions that are megabytes long. V8 needs gigabytes to optimise one, so a server with little memory turns that optimisation off.',
    },
    formats: {
      type: 'object',
      properties: {
        extensions: {
          type: 'array',
          items: { type: 'string', pattern: '^\\.[a-z0-9.+-]+$' },
          description: 'File extensions in lower case, such as `.pdf`.',
        },
        mediaTypes: {
          type: 'array',
          items: { type: 'string', pattern: '^([a-z0-9.+-]+|\\*)/([a-z0-9.+-]+|\\*)$' },
          description: 'Media types in lower case; `text/*` matches all of a type, `*/*` any file.',
        },
      },
      additionalProperties: false,
      description:
        'For a reader: the files that it reads. The file extension takes precedence over the media type, and an exact type over `text/*` and `*/*`; among readers that match alike, those with `needs.env` come first, then others by name, and those of `*/*` last; the first that can run is used. For a chunker: formats that it takes as they are, so that no reader converts them.',
    },
    default: {
      type: 'string',
      minLength: 1,
      description:
        'For a tokenizer or embedding plugin: the name used by requests that give none. Only one plugin of a kind has it.',
    },
    models: {
      ...names,
      description:
        'Names that a tokenizer or embedding plugin answers to. An entry that ends in `*` matches every name with that prefix; the longest match wins. Several plugins may take `*` alone: they are asked in the order of their names, and the first that has the model opens it.',
    },
  },
  additionalProperties: false,
} as const;

type FromManifestSchema = FromSchema<
  typeof manifestSchema,
  {
    deserialize: [
      { pattern: { title: 'ObjectSchema' }; output: ObjectSchema },
      { pattern: { title: 'Use' }; output: Kind | PluginId },
      { pattern: { title: 'Plugin' }; output: PluginId },
    ];
  }
>;

type DeepReadonly<T> = T extends (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** Manifest of a plugin; `manifestSchema` describes its fields. */
export type Manifest = DeepReadonly<FromManifestSchema>;

export type ChoicesOf<M extends Manifest> = M extends { readonly chooses: readonly (infer Id)[] }
  ? Id
  : never;

export type UsesOf<M extends Manifest> = M extends { readonly uses: readonly (infer Use)[] } ? Use : never;
