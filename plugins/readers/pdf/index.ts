import type { Factory, Reader } from '../../../core/kit.ts';
import type manifest from './manifest.ts';
import type { PdfFile } from './pdf-file.ts';
import { loadPdfium } from './pdfium.ts';

type Given = Partial<Parameters<Factory<typeof manifest>>[0]>;

const createPdfReader = async ({ 'reader/ocr': ocr }: Given): Promise<Reader> => {
  // PDFium is compiled in other threads while the modules that read its pages are loaded.
  const [{ readDocument }, { PdfFile }, loaded] = await Promise.all([
    import('./document.ts'),
    import('./pdf-file.ts'),
    loadPdfium(),
  ]);
  let idle: PdfFile['pdfium'] | undefined = loaded;
  return {
    async read({ bytes }, context) {
      context.signal.throwIfAborted();
      let pdfium = idle ?? (await loadPdfium());
      // A file that is read meanwhile takes an instance of its own.
      idle = undefined;
      let file: PdfFile | undefined;
      try {
        file = new PdfFile(pdfium, bytes);
        return await readDocument(file, context, ocr?.recognize);
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
