import type { Manifest } from '../../../core/contracts/manifest.ts';
import { EXTENSIONS, MEDIA_TYPES } from './formats.ts';

export default {
  kind: 'reader',
  name: 'docling',
  summary: 'PDF, Office, OpenDocument, e-books and images as Markdown, by a docling-serve of yours.',
  formats: { extensions: EXTENSIONS, mediaTypes: MEDIA_TYPES },
  needs: { env: ['DOCLING_URL'] },
  urls: ['DOCLING_URL'],
  reads: ['DOCLING_API_KEY'],
  light: true,
} as const satisfies Manifest;
