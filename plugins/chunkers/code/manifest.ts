import type { FromSchema } from 'json-schema-to-ts';
import type { Manifest } from '../../../core/kit.ts';
import { chunkSize } from '../../../core/options.ts';

/** `languages.ts` has a row for each language. */
export const LANGUAGE_NAMES = [
  'bash',
  'c',
  'cpp',
  'csharp',
  'css',
  'dart',
  'elixir',
  'go',
  'haskell',
  'html',
  'java',
  'javascript',
  'json',
  'kotlin',
  'lua',
  'markdown',
  'perl',
  'php',
  'python',
  'r',
  'ruby',
  'rust',
  'scala',
  'sql',
  'swift',
  'toml',
  'tsx',
  'typescript',
  'yaml',
  'zig',
] as const;

export type LanguageName = (typeof LANGUAGE_NAMES)[number];

/** Files of several languages: `templates/dialects.ts` has a row for each. */
export const TEMPLATE_NAMES = ['astro', 'erb', 'handlebars', 'jinja', 'svelte', 'vue'] as const;

export type TemplateName = (typeof TEMPLATE_NAMES)[number];

/** Names that a request may use, besides aliases and `auto`. */
export const NAMES: readonly string[] = [...LANGUAGE_NAMES, ...TEMPLATE_NAMES].sort();

const names = NAMES.join(', ');

const options = {
  type: 'object',
  properties: {
    chunk_size: chunkSize,
    language: {
      type: ['string', 'null'],
      default: null,
      minLength: 1,
      maxLength: 40,
      examples: ['python', 'js', 'c++', 'markdown', 'json', 'auto'],
      description: `Language of the code: ${names}, a common alias such as js, c++ or golang, or auto. Default: python, or auto if the text has a file name.`,
    },
    filename: {
      effectiveWith: { language: [null, 'auto'] },
      type: ['string', 'null'],
      default: null,
      minLength: 1,
      maxLength: 4096,
      examples: ['main.go', 'src/app.tsx', 'Makefile'],
      description:
        "Name of the text's file, or its path; default: the document's `filename`, else its `id`. With language auto it decides if its name or extension is known.",
    },
    include_nodes: {
      type: 'boolean',
      default: false,
      description: 'Whether each chunk lists its syntax units: type, name, lines and offsets.',
    },
    oversize: {
      enum: ['keep', 'split', 'members'],
      default: 'keep',
      description:
        'How to treat a function or class above chunk_size: keep it whole; split it along its syntax; or members: cut a class between its members, and keep a function whole up to at most four times chunk_size, with its comments and decorators.',
    },
    separate_functions: {
      type: 'boolean',
      default: false,
      description:
        'Whether a function shares no chunk with what is before or after it, nor the rest of a class that was cut with what is around the class. Vectors find more functions then; there are about twice as many chunks.',
    },
  },
} as const;

const integer = { type: 'integer' } as const;

const node = {
  title: 'SyntaxNode',
  type: 'object',
  required: ['type', 'start_line', 'end_line', 'start_index', 'end_index'],
  properties: {
    type: { type: 'string', description: 'Type of the syntax node, as named by the grammar.' },
    name: { type: 'string' },
    start_line: { ...integer, description: 'First line, counted from 1.' },
    end_line: { ...integer, description: 'Last line.' },
    start_index: { ...integer, description: "Where it begins in the text, in the request's unit." },
    end_index: { ...integer, description: 'Where it ends in the text.' },
    scope: {
      type: 'array',
      items: { type: 'string' },
      description:
        'The units that contain it, outermost first, if they were cut or only contain others, as a namespace does.',
    },
    members: {
      type: 'array',
      items: { type: 'string' },
      description: 'The names of the functions and classes in a class that was not cut.',
    },
  },
} as const;

export type CodeOptions = FromSchema<typeof options>;

export default {
  kind: 'chunker',
  name: 'code',
  summary: `Splits source code between functions and classes, never within them: ${names}.`,
  options,
  fields: {
    nodes: { type: 'array', items: node, description: 'With include_nodes: the syntax units of the chunk.' },
  },
  reports: {
    'code-language': 'The language that auto found; for a list of texts, one for each.',
    'code-fallback': 'lines, if parsing took too long and the text was cut between lines.',
  },
  example: {
    text: 'import os\n\n\ndef first():\n    return 1\n\n\ndef second():\n    return 2\n',
    language: 'auto',
    chunk_size: 30,
    include_nodes: true,
    oversize: 'members',
  },
  needs: {
    packages: ['web-tree-sitter', 'tree-sitter-wasms'],
    packageFiles: {
      'tree-sitter-wasms': [
        'out/tree-sitter-{c,cpp,c_sharp,css,dart,elixir,go,html,java,javascript,json,kotlin,php,python,ruby,rust,toml,tsx,typescript,zig}.wasm',
      ],
      'web-tree-sitter': ['tree-sitter.{cjs,js,wasm}'],
    },
  },
  uses: ['tokenizer'],
  guarantees: { lossless: true },
  largeWebAssembly: true,
} as const satisfies Manifest;
