import type { Factory } from '../../../core/kit.ts';
import { SheetTables } from '../../toolkit/office/index.ts';
import type manifest from './manifest.ts';
import { openWorkbook, type Sheet } from './workbook.ts';

const createXlsxReader: Factory<typeof manifest> = () => ({
  read({ bytes }, { report, signal }) {
    signal.throwIfAborted();
    const { sheets, leftOut, title, metadata } = openWorkbook(bytes);
    const writer = new SheetTables();
    const withText = new Set<Sheet>();
    let unsaved = 0;
    for (const sheet of sheets) {
      signal.throwIfAborted();
      sheet.forEachRow((row) => {
        unsaved += row.unsaved;
        if (row.cells.size === 0) return;
        if (!withText.has(sheet)) writer.startSheet(sheet.name);
        withText.add(sheet);
        writer.add(row);
      });
    }
    writer.endTable();
    const hidden = [...withText].filter(({ isHidden }) => isHidden).length;
    if (hidden > 0) report('hidden-sheets', String(hidden));
    if (unsaved > 0) report('formulas-without-value', String(unsaved));
    const { text, places } = writer;
    const counts = { ...leftOut, ...(unsaved > 0 && { formula_value: unsaved }) };
    return { text, places, mediaType: 'text/markdown', title, metadata, leftOut: counts };
  },
});

export default createXlsxReader;
