import type { FromSchema } from 'json-schema-to-ts';
import { contextField, contextShortenedField, headingPathField } from '../../../core/fields.ts';
import type { Manifest } from '../../../core/kit.ts';
import { chunkSize, countContext, minimumChunk } from '../../../core/options.ts';

const options = {
  type: 'object',
  properties: {
    chunk_size: chunkSize,
    min_chunk_size: minimumChunk,
    carry: {
      type: 'array',
      items: { enum: ['headings'] },
      default: [],
      description: 'Content of context: headings is the path of the headings above the chunk.',
    },
    count_context: countContext,
  },
} as const;

export type XmlOptions = FromSchema<typeof options>;

export default {
  kind: 'chunker',
  name: 'xml',
  summary: 'Splits XML between its elements, and each chunk has the XPath of its content.',
  options,
  fields: {
    xpath: {
      type: ['string', 'null'],
      description:
        'XPath of the smallest element that contains the chunk, with prefixes as written; null if it is longer than 256 characters or 64 levels.',
    },
    elements: {
      type: 'array',
      items: { type: 'integer' },
      minItems: 2,
      maxItems: 2,
      description:
        'The first and the last child of that element in the chunk, counted from 1, whatever their names. Missing if the chunk is a whole element, or begins or ends in its text.',
    },
    heading_path: headingPathField,
    context: contextField,
    context_shortened: contextShortenedField,
  },
  example: {
    text: '<tea>\n  <kind name="black">\n    <water>100</water>\n    <minutes>4</minutes>\n  </kind>\n  <kind name="green">\n    <water>80</water>\n  </kind>\n</tea>\n',
    chunk_size: 70,
  },
  formats: {
    extensions:
      `.xml .xsd .xsl .xslt .svg .rss .atom .csproj .vbproj .fsproj .props .targets .xaml .axaml .resx .qrc
      .xliff .xlf .tmx .dita .ditamap .tei .jats .nxml .gpx .kml .opml .wsdl .pom .storyboard .xib .dbk .docbook`.split(
        /\s+/,
      ),
    mediaTypes: [
      'text/xml',
      'application/xml',
      'image/svg+xml',
      'application/rss+xml',
      'application/atom+xml',
    ],
  },
  uses: ['tokenizer'],
  guarantees: { lossless: true, bounded: true },
  light: true,
} as const satisfies Manifest;
