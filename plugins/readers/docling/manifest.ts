import { type FileFormats, type Manifest, officeFormats } from '../../../core/kit.ts';

/** What docling-serve reads besides text: the media type of each extension. */
export const FORMATS: FileFormats = {
  ...officeFormats,
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.tif': 'image/tiff',
  '.tiff': 'image/tiff',
  '.bmp': 'image/bmp',
  '.webp': 'image/webp',
};

export default {
  kind: 'reader',
  name: 'docling',
  summary: 'PDF, Office, OpenDocument, e-books and images as Markdown, through your docling-serve.',
  formats: { extensions: Object.keys(FORMATS), mediaTypes: [...new Set(Object.values(FORMATS))] },
  needs: { env: ['DOCLING_URL'] },
  urls: ['DOCLING_URL'],
  reads: ['DOCLING_API_KEY'],
  light: true,
} as const satisfies Manifest;
