import t from 'tap';
import { openChunkers } from '../../../support/service.ts';

const chunk = await openChunkers();
const letter = (subject: string, end: string, lines: number) =>
  [
    'From ada@example.org Fri Nov 27 22:50:39 2026',
    'From: Ada <ada@example.org>',
    `Subject: # ${subject}`,
    '',
    ...Array.from({ length: lines }, (_, at) => `Line ${at} of the text.${end}`),
    '',
  ].join(end);

t.test('a mailbox is cut before letters, and a head stays with the beginning of its body', async (t) => {
  for (const end of ['\n', '\r\n']) {
    const text = [letter('one', end, 2), letter('two', end, 3), letter('three', end, 20)].join(end);
    for (const [chunker, options] of [
      ['recursive', { recipe: 'mail' }],
      ['auto', { filename: 'a.mbox' }],
    ] as const) {
      const chunks = await chunk(chunker, { text, chunk_size: 220, ...options });
      const texts = chunks.map((one) => one.text);
      t.equal(texts.join(''), text);
      t.ok(chunks.every((one) => one.token_count <= 220));
      for (const [number, subject] of ['one', 'two', 'three'].entries()) {
        const head = texts.find((one) => one.includes(`Subject: # ${subject}`)) ?? '';
        t.match(head, /^From ada/, `letter ${number} begins a chunk`);
        t.match(head, /Line 0/, `letter ${number} has its body`);
      }
    }
  }
});
