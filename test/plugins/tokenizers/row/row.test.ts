import t from 'tap';
import create from '../../../../plugins/tokenizers/row/index.ts';
import { needs } from '../../../support/here.ts';
import { openChunkers } from '../../../support/service.ts';
import { testPlainTokenizer } from '../plain.ts';

/** As Chonkie does, which splits at line feeds; a row ends after its own. */
const rowsOf = (text: string) =>
  text === '' ? [] : text.split('\n').map((row, at, all) => (at < all.length - 1 ? `${row}\n` : row));

await testPlainTokenizer(t, create, 'row', rowsOf);

t.test('chunk_size is a number of rows', async (t) => {
  const chunk = await openChunkers();
  const text = 'id,name\n1,Ada\n2,Grace\n3,Edsger';
  const windows = await chunk('token', { text, tokenizer: 'row', chunk_size: 2 });
  const texts = windows.map((one) => one.text);
  t.same(texts, ['id,name\n1,Ada\n', '2,Grace\n3,Edsger']);
});

t.test('a chunker that looks for boundaries keeps rows whole', needs('chunker/recursive'), async (t) => {
  const text = 'id,name\n1,Ada\n2,Grace\n3,Edsger\n'.repeat(10);
  const chunks = await (await openChunkers())('recursive', { text, tokenizer: 'row', chunk_size: 5 });
  t.ok(chunks.every((one) => one.text.split('\n').length <= 5 && one.text.endsWith('\n')));
});
