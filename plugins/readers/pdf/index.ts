import { type Factory, reasonOf } from '../../../core/kit.ts';
import { readDocument, refusal } from './document.ts';
import type manifest from './manifest.ts';
import { loadPdfium, PdfFile } from './pdfium.ts';

const createPdfReader: Factory<typeof manifest> = async () => {
  const pdfium = await loadPdfium();
  return {
    async read({ bytes }, context) {
      context.signal.throwIfAborted();
      const file = openFile(bytes);
      try {
        return await readDocument(file, context);
      } finally {
        file.close();
      }
    },
  };

  function openFile(bytes: Uint8Array): PdfFile {
    try {
      return new PdfFile(pdfium, bytes);
    } catch (error) {
      throw refusal(reasonOf(error));
    }
  }
};

export default createPdfReader;
