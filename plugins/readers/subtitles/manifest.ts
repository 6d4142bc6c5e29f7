import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'reader',
  name: 'subtitles',
  summary: 'Subtitles and transcripts (WebVTT, SubRip) as running text, with times and speakers.',
  formats: { extensions: ['.vtt', '.srt'], mediaTypes: ['text/vtt', 'application/x-subrip'] },
  light: true,
} as const satisfies Manifest;
