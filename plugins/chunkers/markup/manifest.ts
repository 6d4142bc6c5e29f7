import type { FromSchema } from 'json-schema-to-ts';
import { contextField, contextShortenedField, headingPathField, kindsField } from '../../../core/fields.ts';
import type { Manifest } from '../../../core/kit.ts';
import { chunkSize, countContext, minimumChunk, splitLevel } from '../../../core/options.ts';

export const SYNTAX_NAMES = [
  'restructuredtext',
  'asciidoc',
  'org',
  'latex',
  'mediawiki',
  'textile',
  'pod',
  'texinfo',
  'roff',
] as const;

export type SyntaxName = (typeof SYNTAX_NAMES)[number];

const options = {
  type: 'object',
  properties: {
    chunk_size: chunkSize,
    syntax: {
      enum: ['auto', ...SYNTAX_NAMES],
      default: 'auto',
      description:
        'The markup language of the text. auto: by the media type, then the name of its file, then its content; a text that shows none is prose.',
    },
    filename: {
      effectiveWith: { syntax: ['auto'] },
      type: ['string', 'null'],
      default: null,
      minLength: 1,
      maxLength: 4096,
      examples: ['guide.rst', 'docs/index.adoc'],
      description: "Name of the text's file, or its path; default: the document's `filename`, else its `id`.",
    },
    split_level: splitLevel,
    min_chunk_size: minimumChunk,
    oversize: {
      enum: ['split', 'keep'],
      default: 'split',
      description:
        'How to treat a code block, a table, a directive or another block above chunk_size: split it, so that chunk_size is a hard limit, or keep it whole.',
    },
    carry: {
      type: 'array',
      items: { enum: ['headings', 'fence'] },
      default: ['fence'],
      description:
        'Content of context: the headings above the beginning of the chunk, the lines that open a block of code or a directive that it continues.',
    },
    count_context: countContext,
    include_blocks: {
      type: 'boolean',
      default: false,
      description: 'Whether each chunk lists its blocks, or parts of blocks, with their offsets.',
    },
  },
} as const;

export type MarkupOptions = FromSchema<typeof options>;

const block = {
  title: 'MarkupBlock',
  type: 'object',
  required: ['kind', 'start_index', 'end_index'],
  properties: {
    kind: { type: 'string', description: 'heading, paragraph, list, quote, code, table, block, ...' },
    level: { type: 'integer', description: 'For a heading of a section: from 1, the highest.' },
    language: { type: 'string', description: 'For code: the language that it names.' },
    start_index: { type: 'integer' },
    end_index: { type: 'integer' },
  },
} as const;

export default {
  kind: 'chunker',
  name: 'markup',
  summary:
    'Splits reStructuredText, AsciiDoc, Org, LaTeX, MediaWiki, Textile, POD, Texinfo and manual pages along their titles and blocks.',
  options,
  fields: {
    heading_path: headingPathField,
    kinds: kindsField,
    language: {
      type: 'string',
      description: 'The language of the code in the chunk, if all names the same one.',
    },
    context: contextField,
    context_shortened: contextShortenedField,
    blocks: { type: 'array', items: block, description: 'With include_blocks: the blocks of the chunk.' },
  },
  reports: { 'markup-syntax': 'The markup language that auto found; for a list of texts, one for each.' },
  example: {
    text: 'Tea\n===\n\nBoil water.\n\nMilk\n----\n\n.. code-block:: sh\n\n   # pour it\n   pour milk\n',
    syntax: 'restructuredtext',
    chunk_size: 60,
  },
  uses: ['tokenizer'],
  guarantees: { lossless: true },
  light: true,
} as const satisfies Manifest;
