import t from 'tap';
import { ENDINGS } from '../../../../plugins/chunkers/auto/names.ts';
import { fileRows } from '../../../pages/programs.ts';

t.test('the table of files says what is chosen by the ending', async (t) => {
  const rows = fileRows().filter(({ readers }) => readers.length === 0);
  // Web pages are read as Markdown before.
  for (const [chunker, endings] of Object.entries(ENDINGS).filter(([name]) => name !== 'html')) {
    const chosen = endings.split(/\s+/).map((ending) => `.${ending}`);
    const named = rows.find((row) => row.chunker === chunker || row.chunker === `recursive: ${chunker}`);
    t.same(named?.endings.sort(), chosen.sort(), chunker);
  }
});
