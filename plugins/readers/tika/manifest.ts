import type { Manifest } from '../../../core/contracts/manifest.ts';
import { EXTENSIONS, MEDIA_TYPES } from './formats.ts';

export default {
  kind: 'reader',
  name: 'tika',
  summary:
    'PDF, Office, OpenDocument, RTF, e-books and e-mail as Markdown, by an Apache Tika server of yours.',
  formats: { extensions: EXTENSIONS, mediaTypes: MEDIA_TYPES },
  reports: {
    'unread-attachments':
      'How many files within the file Tika could not read; it is not there if it read all.',
  },
  needs: { env: ['TIKA_URL'] },
  urls: ['TIKA_URL'],
  light: true,
} as const satisfies Manifest;
