import { INCLUDED } from '../../../server/service/document-schemas.ts';
import { composeQuietly, runTask } from '../../support/service.ts';
import { headOf, mainText } from '../data/texts.ts';
import { median, race } from '../race/race.ts';
import { number, printTable, printTitle } from '../race/report.ts';

const BYTES = 1_000_000;
const ROUNDS = 15;
const METADATA = { source: 'library', year: 2026, tags: ['a', 'b'] };

/** What the further fields of chunks cost: the same text with more and more of them, by turns in one thread. */
export async function runFields(): Promise<void> {
  printTitle(
    'Further fields of chunks: 1 MB through recursive with cl100k_base, JSON in, JSON out, one thread',
  );
  const { service } = await composeQuietly();
  const text = headOf(mainText(), BYTES);
  const options = { tokenizer: 'cl100k_base' };
  const document = { text, id: 'document', title: 'A text', metadata: METADATA, pages: [0] };
  const requests = {
    text: { text, ...options },
    'documents, id alone': { documents: [{ text, id: 'document' }], ...options },
    'documents, all members': { documents: [document], ...options },
    'documents, all fields': { documents: [document], include: INCLUDED, ...options },
  };
  const candidates = Object.entries(requests).map(([name, request]) => {
    const body = Buffer.from(JSON.stringify(request));
    return { name, run: () => runTask(service, { run: 'chunk', name: 'recursive' }, new Uint8Array(body)) };
  });
  const results = await race(candidates, { rounds: ROUNDS });
  const base = median(results[0]?.times ?? []);
  const rows = results.map(({ name, times }) => {
    const ms = median(times);
    return [name, number(ms), `${number(base / ms)}x`];
  });
  printTable('', ['', 'ms', 'throughput'], rows);
  console.log('');
}
