import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'reader',
  name: 'mail',
  summary: 'E-mail as Markdown: messages, mailboxes and Outlook messages, with their attachments listed.',
  formats: {
    extensions: ['.eml', '.emlx', '.mbox', '.msg'],
    mediaTypes: ['message/rfc822', 'message/global', 'application/mbox', 'application/vnd.ms-outlook'],
  },
  uses: ['reader/html', 'reader/rtf', 'reader/text'],
  guarded: true,
} as const satisfies Manifest;
