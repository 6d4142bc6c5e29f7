import { fileURLToPath } from 'node:url';
import { type Factory, reasonOf } from '../../../core/kit.ts';
import { readDocument, refusal } from './document.ts';
import type manifest from './manifest.ts';

/** For the shapes of letters that are pictures, which nobody draws here: pdf.js also learns their size on this way. */
class UnusedMatrix {
  scaleSelf(): this {
    return this;
  }

  translateSelf(): this {
    return this;
  }
}

/** Loads pdf.js, which works in the thread that calls it. */
export async function loadPdfJs() {
  // It would take that of a package for drawing, which images lack.
  Object.assign(globalThis, { DOMMatrix: UnusedMatrix });
  // @ts-expect-error: only the file from which it is made has types, the same as the package.
  const pdfjs: typeof import('pdfjs-dist') = await import('pdfjs-dist/legacy/build/pdf.min.mjs');
  const { getDocument, GlobalWorkerOptions } = pdfjs;
  GlobalWorkerOptions.workerSrc = import.meta.resolve('pdfjs-dist/legacy/build/pdf.worker.min.mjs');
  const folder = (name: string) =>
    fileURLToPath(new URL(name, import.meta.resolve('pdfjs-dist/package.json')));
  const options = {
    cMapUrl: folder('cmaps/'),
    cMapPacked: true,
    standardFontDataUrl: folder('standard_fonts/'),
    useSystemFonts: false,
    disableFontFace: true,
    useWorkerFetch: false,
    isOffscreenCanvasSupported: false,
    isEvalSupported: false,
    // Otherwise a page ends where it is broken.
    stopAtErrors: true,
    verbosity: 0,
  };
  return (data: Uint8Array) => getDocument({ data, ...options });
}

const createPdfReader: Factory<typeof manifest> = async () => {
  const open = await loadPdfJs();
  return {
    async read({ bytes }, context) {
      context.signal.throwIfAborted();
      // pdf.js takes the bytes away from whoever gives them.
      const task = open(new Uint8Array(bytes));
      try {
        const document = await task.promise.catch((error: unknown) => {
          throw refusal(problemOf(error));
        });
        return await readDocument(document, context);
      } finally {
        await task.destroy();
      }
    },
  };
};

export default createPdfReader;

function problemOf(error: unknown): string {
  if (error instanceof Error && error.name === 'PasswordException')
    return 'it has a password; save it without';
  return `it is not a PDF, or broken: ${reasonOf(error)}`;
}
