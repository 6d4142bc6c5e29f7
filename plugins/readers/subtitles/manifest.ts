import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'reader',
  name: 'subtitles',
  summary: 'Subtitles and transcripts (WebVTT, SubRip) as running text, with times and speakers.',
  formats: { extensions: ['.vtt', '.srt'], mediaTypes: ['text/vtt', 'application/x-subrip'] },
  reports: {
    'source-encoding-inferred': '`true` if the encoding was inferred, as the reader `text` does.',
  },
  uses: ['reader/text'],
  light: true,
} as const satisfies Manifest;
