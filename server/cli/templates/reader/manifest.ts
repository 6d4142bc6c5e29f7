import type { Manifest } from 'chunksmith/kit';

// Data, and nothing else: it is read even if the plugin cannot run.
export default {
  kind: 'reader',
  name: 'my-plugin',
  summary: 'The text of songs (LRC), with the time of each line.',
  version: '0.1.0',
  engine: '^2.0.0',
  // The files that it reads. The file extension takes precedence over the media type.
  formats: { extensions: ['.lrc'], mediaTypes: ['application/x-lrc'] },
} satisfies Manifest;
