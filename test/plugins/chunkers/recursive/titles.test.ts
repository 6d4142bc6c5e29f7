import t from 'tap';
import { needs } from '../../../support/here.ts';
import { openChunkers } from '../../../support/service.ts';

const SENTENCE = 'She walked along the wall until the path came to an end, and the gate was closed. ';
/** Titles of one kind, with what is between a title and the text around it. */
const KINDS: readonly [title: (part: number) => string, above: string, below: string][] = [
  [(part) => `CHAPTER ${'I'.repeat(part)}. The Garden Gate.`, '\n\n\n\n', '\n\n'],
  [(part) => `Chapter ${part}`, '\n\n', '\n\n'],
  [(part) => `**Part ${part}**`, '\n\n', '\n\n'],
  [(part) => `_The Gate, the ${part}th Time_`, '\n\n', '\n\n'],
  [(part) => `${'I'.repeat(part)}.`, '\n\n\n', '\n\n\n'],
  [(part) => `第${part}章`, '\n\n', '\n\n'],
  [(part) => `=== Part ${part}`, '\n\n', '\n\n'],
  [(part) => `** Part ${part}`, '\n\n', '\n\n'],
  [(part) => `h2. Part ${part}`, '\r\n\r\n', '\r\n\r\n'],
  [(part) => `=head2 Part ${part}`, '\r\n\r\n\r\n', '\r\n\r\n'],
  [(part) => `PART ${part}\n\nTHE GATE\n\nIn which nobody comes`, '\n\n\n', '\n\n\n'],
  [(part) => `   ACT ${part}   `, '\n \n\t\n', '\n\n'],
];
const CHUNKERS = [
  ['auto', {}],
  ['recursive', {}],
  ['markdown', {}],
  ['sentence', {}],
  ['sentence', { sentences: 'rules' }],
] as const;

for (const [name, options] of CHUNKERS) {
  t.test(`${name} ${JSON.stringify(options)}: no title ends a chunk`, needs(`chunker/${name}`), async (t) => {
    const chunk = await openChunkers();
    for (const [title, above, below] of KINDS) {
      const parts = [1, 2, 3, 4, 5, 6, 7, 8].map((part) => `${title(part)}${below}${SENTENCE.repeat(part)}`);
      const text = parts.join(above);
      for (const chunk_size of [200, 300, 400, 500]) {
        const chunks = await chunk(name, { text, chunk_size, ...options });
        const last = title(1).trim().split('\n').at(-1)?.replaceAll(/[I1]+/g, '[I\\d]+') ?? '';
        const ending = new RegExp(`${last.replaceAll(/[*.=?()]/g, '\\$&').replaceAll('\\\\', '\\')}\\s*$`);
        t.equal(chunks.map((one) => one.text).join(''), text);
        t.ok(chunks.every((one) => one.token_count <= chunk_size));
        t.same(
          chunks.map((one) => one.text).filter((text) => ending.test(text)),
          [],
          `${title(1)}, ${chunk_size}`,
        );
      }
    }
  });
}

t.test('a title stays with a sentence that has to be split', needs('chunker/sentence'), async (t) => {
  const chunk = await openChunkers();
  const text = `Nobody came.\n\nThe Gate\n\n${'more and '.repeat(20)}more.`;
  const [first, second] = await chunk('sentence', { text, chunk_size: 60, oversize: 'split' });
  t.same([first?.text, second?.text.startsWith('\nThe Gate\n\nmore')], ['Nobody came.\n', true]);
});
