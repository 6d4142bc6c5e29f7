import { type Factory, type RecognizedPage, refusedError } from '../../../core/kit.ts';
import { type Engine, languagesOf, loadEngine } from './engine.ts';
import { picturesOf } from './images.ts';
import { meanConfidence } from './legibility.ts';
import type manifest from './manifest.ts';
import type { OcrOptions } from './manifest.ts';
import { recognize } from './recognize.ts';
import { rounded, Writer } from './text.ts';

const createOcrReader: Factory<typeof manifest> = () => {
  let engine: Engine | undefined;
  /** Loads the engine late: the reader of PDFs has this one for files of which few are scans. */
  async function engineFor(options: Partial<OcrOptions>): Promise<Engine> {
    const languages = await languagesOf(options.languages ?? []);
    if (engine?.languages.join() !== languages.join()) {
      engine = undefined;
      engine = await loadEngine(languages);
    }
    return engine;
  }

  return {
    async recognize(picture, options) {
      return recognize(await engineFor(options as Partial<OcrOptions>), picture);
    },

    async read({ bytes }, { signal, options, report, progress }) {
      const engine = await engineFor(options as Partial<OcrOptions>);
      const writer = new Writer();
      const read: RecognizedPage[] = [];
      const unreadable: number[] = [];
      let page = 0;
      for await (const picture of picturesOf(bytes)) {
        signal.throwIfAborted();
        page++;
        const recognized = recognize(engine, picture);
        const { isReadable } = recognized;
        if (isReadable) read.push(recognized);
        else if (recognized.lines.length > 0) unreadable.push(page);
        writer.write(page, isReadable ? recognized : { ...recognized, lines: [] }, picture);
        progress?.();
      }
      const { text, places, leftOutTexts } = writer;
      if (text === '') throw noText(unreadable.length > 0, engine.languages);
      const lines = read.flatMap((one) => one.lines.filter(({ legibility }) => legibility !== 'unreadable'));
      const confidence = rounded(meanConfidence(lines));
      report('ocr-confidence', `${confidence}`);
      const uncertain = lines.filter(({ legibility }) => legibility === 'uncertain').length;
      if (uncertain > 0) report('uncertain-lines', `${uncertain}`);
      if (leftOutTexts.length > 0) report('unreadable-lines', `${leftOutTexts.length}`);
      if (unreadable.length > 0) report('unreadable-pages', unreadable.join(' '));
      return {
        text,
        mediaType: 'text/markdown',
        metadata: { ocr_confidence: confidence },
        places,
        leftOut: {
          ...(leftOutTexts.length > 0 && { unreadable_line: leftOutTexts.length }),
          ...(unreadable.length > 0 && { unreadable_page: unreadable.length }),
        },
        leftOutTexts,
      };
    },
  };
};

export default createOcrReader;

function noText(isUnreadable: boolean, languages: readonly string[]): Error {
  const remedy = `this server reads ${languages.join(', ')}; "npm install @tesseract.js-data/<language>" adds another`;
  return refusedError(
    isUnreadable
      ? `The image cannot be read: its writing cannot be recognized; ${remedy}.`
      : 'The image cannot be read: no text was found in it.',
  );
}
