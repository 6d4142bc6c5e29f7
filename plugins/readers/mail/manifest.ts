import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'reader',
  name: 'mail',
  summary: 'E-mail as Markdown: messages, mailboxes and Outlook messages, with their attachments listed.',
  formats: {
    extensions: ['.eml', '.emlx', '.mbox', '.msg'],
    mediaTypes: ['message/rfc822', 'message/global', 'application/mbox', 'application/vnd.ms-outlook'],
  },
  reports: {
    'source-encoding-inferred':
      '`true` if the encoding of a text was inferred from the bytes: none was declared, or a wrong one.',
    'source-encoding-confidence':
      'How sure the least certain of the inferred encodings is, from 0 to 1: `0.87`. With 0 a text was read as windows-1252.',
    'source-odd-bytes':
      'How many bytes are invalid in texts in UTF-8, and were read as windows-1252; missing if none is.',
  },
  uses: ['reader/html', 'reader/rtf', 'reader/text'],
  guarded: true,
} as const satisfies Manifest;
