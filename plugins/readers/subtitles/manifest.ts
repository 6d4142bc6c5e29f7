import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'reader',
  name: 'subtitles',
  summary: 'Subtitles and transcripts (WebVTT, SubRip) as running text, with times and speakers.',
  formats: { extensions: ['.vtt', '.srt'], mediaTypes: ['text/vtt', 'application/x-subrip'] },
  reports: {
    'source-encoding-inferred': '`true` if the encoding was inferred, as the reader `text` does.',
    'source-encoding-confidence': 'How sure an inferred encoding is, from 0 to 1: `0.87`.',
    'source-odd-bytes':
      'How many bytes are invalid in the inferred encoding UTF-8, and were read as windows-1252; missing if none is.',
  },
  uses: ['reader/text'],
  light: true,
} as const satisfies Manifest;
