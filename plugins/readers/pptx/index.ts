import { type Factory, refusedError, type SourcePlace } from '../../../core/kit.ts';
import { openOfficeFile } from '../../toolkit/office/index.ts';
import { slideTransform } from './geometry.ts';
import type manifest from './manifest.ts';
import { SlideReader } from './slides.ts';
import { childrenOf, find, referenceOf, treeOf } from './tree.ts';

/** Bytes of all XML in a presentation together. */
const MAX_BYTES = 128 * 1024 * 1024;
/** UTF-16 units of a text. Slides of a small file may show one chart many times. */
const MAX_TEXT = 64 * 1024 * 1024;

const createPptxReader: Factory<typeof manifest> = () => ({
  read({ bytes }, { report, signal }) {
    signal.throwIfAborted();
    const file = openOfficeFile(bytes, MAX_BYTES);
    const presentation = treeOf(file.part(file.main), file.main).children[0];
    const slides = new SlideReader(file, slideTransform(presentation));
    const links = file.relationships(file.main);
    const parts: string[] = [];
    const places: SourcePlace[] = [];
    let [length, hidden] = [0, 0];
    const put = (text: string): void => {
      parts.push(text);
      length += text.length;
      if (length > MAX_TEXT)
        throw refusedError(`The file cannot be read: it has more than ${MAX_TEXT} characters of text.`);
    };
    for (const [index, listed] of childrenOf(find(presentation, 'sldIdLst'), 'sldId').entries()) {
      signal.throwIfAborted();
      const page = index + 1;
      const { isHidden, blocks } = slides.read(links.get(referenceOf(listed))?.target ?? '');
      if (isHidden) hidden++;
      if (blocks.length === 0) places.push({ start: length, end: length, page });
      for (const { text, isTitle, position } of blocks) {
        put(`${length === 0 ? '' : '\n\n'}${isTitle ? '# ' : ''}`);
        const start = length;
        put(text.toWellFormed());
        places.push({ start, end: length, page, ...position });
      }
    }
    if (hidden > 0) report('hidden-slides', String(hidden));
    const { title, metadata } = file;
    return { text: parts.join(''), places, mediaType: 'text/markdown', title, metadata };
  },
});

export default createPptxReader;
