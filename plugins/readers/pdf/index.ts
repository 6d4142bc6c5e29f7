import type { Factory } from '../../../core/kit.ts';
import { readDocument } from './document.ts';
import type manifest from './manifest.ts';
import { PdfFile } from './pdf-file.ts';
import { loadPdfium } from './pdfium.ts';

const createPdfReader: Factory<typeof manifest> = async () => {
  let idle: PdfFile['pdfium'] | undefined = await loadPdfium();
  return {
    async read({ bytes }, context) {
      context.signal.throwIfAborted();
      let pdfium = idle ?? (await loadPdfium());
      // A file that is read meanwhile takes an instance of its own.
      idle = undefined;
      let file: PdfFile | undefined;
      try {
        file = new PdfFile(pdfium, bytes);
        return await readDocument(file, context);
      } catch (error) {
        throw (file?.pdfium ?? pdfium).failureOf(error);
      } finally {
        file?.close();
        pdfium = file?.pdfium ?? pdfium;
        if (pdfium.isReusable) idle = pdfium;
      }
    },
  };
};

export default createPdfReader;
