import type { Factory } from '../../../core/kit.ts';
import type manifest from './manifest.ts';
import { TableWriter } from './tables.ts';
import { openWorkbook, type Sheet } from './workbook.ts';

const createXlsxReader: Factory<typeof manifest> = () => ({
  read({ bytes }, { report, signal }) {
    signal.throwIfAborted();
    const { sheets, title, metadata } = openWorkbook(bytes);
    const writer = new TableWriter();
    const read = new Set<Sheet>();
    for (const sheet of sheets) {
      signal.throwIfAborted();
      sheet.forEachRow((row, cells) => {
        if (!read.has(sheet)) writer.startSheet(sheet.name);
        read.add(sheet);
        writer.add(row, cells);
      });
    }
    writer.endTable();
    const hidden = [...read].filter(({ isHidden }) => isHidden).length;
    if (hidden > 0) report('hidden-sheets', String(hidden));
    const { text, places } = writer;
    return { text, places, mediaType: 'text/markdown', title, metadata };
  },
});

export default createXlsxReader;
