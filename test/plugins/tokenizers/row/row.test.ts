import fc from 'fast-check';
import t from 'tap';
import type { Collaborators } from '../../../../core/contracts/plugin.ts';
import type { TokenizedText, Tokenizer } from '../../../../core/contracts/tokenizer.ts';
import createRowTokenizers from '../../../../plugins/tokenizers/row/index.ts';
import { needs } from '../../../support/here.ts';
import { openChunkers } from '../../../support/service.ts';

const provider = await createRowTokenizers({} as Collaborators & Record<string, unknown>);
const row = (await provider.open('row')) as Tokenizer;
const tokenize = (text: string): TokenizedText => row.tokenize(text);

const texts = fc
  .array(fc.constantFrom('\n', '\r\n', 'a,b', '漢', '👍', ' '), { maxLength: 300 })
  .map((units) => units.join(''));

t.test('answers to its name only', async (t) => {
  t.same(await provider.names(), ['row']);
  t.equal(row.name, 'row');
  t.equal(await provider.open('rows'), undefined);
});

t.test('counts every span as Chonkie does, which splits at line feeds', async () => {
  fc.assert(
    fc.property(texts, fc.nat(), fc.nat(), (text, one, other) => {
      const start = one % text.length || 0;
      const end = start + (other % (text.length - start + 1));
      const own = text.slice(start, end);
      return tokenize(text).count(start, end) === (own === '' ? 0 : own.split('\n').length);
    }),
  );
});

t.test('chunk_size is a number of rows', async (t) => {
  const chunk = await openChunkers();
  const text = 'id,name\n1,Ada\n2,Grace\n3,Edsger\n';
  const windows = await chunk('token', { text: text.trimEnd(), tokenizer: 'row', chunk_size: 2 });
  t.same(
    windows.map((one) => one.text),
    ['id,name\n1,Ada\n', '2,Grace\n3,Edsger'],
  );
});

t.test('a chunker that looks for boundaries keeps rows whole', needs('chunker/recursive'), async (t) => {
  const chunk = await openChunkers();
  const text = 'id,name\n1,Ada\n2,Grace\n3,Edsger\n';
  const lines = await chunk('recursive', { text: text.repeat(10), tokenizer: 'row', chunk_size: 5 });
  t.equal(lines.map((one) => one.text).join(''), text.repeat(10));
  t.ok(lines.every((one) => one.text.split('\n').length <= 5 && one.text.endsWith('\n')));
});
