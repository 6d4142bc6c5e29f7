import { type Factory, refusedError, type SourcePlace, type SourcePosition } from '../../../core/kit.ts';
import {
  decodeEscapes,
  isFileName,
  type OfficeFile,
  openOfficeFile,
  type Relationship,
} from '../../toolkit/office/index.ts';
import {
  boxOf,
  frameOf,
  groupTransform,
  InheritedFrames,
  placeholderOf,
  slideTransform,
  type Transform,
} from './geometry.ts';
import type manifest from './manifest.ts';
import { boxAround, inReadingOrder, type Unit } from './order.ts';
import { lineOf, oneLine, writeBody, writeChart, writeDiagram, writeTable } from './text.ts';
import { childrenOf, type Element, find, findBelow, referenceOf, treeOf } from './tree.ts';

/** Maximum bytes of all XML in a presentation. */
const MAX_BYTES = 128 * 1024 * 1024;
/** Maximum UTF-16 units of the text: the slides of a small file may show one chart many times. */
const MAX_TEXT = 64 * 1024 * 1024;

const createPptxReader: Factory<typeof manifest> = () => ({
  read({ bytes }, { report, signal }) {
    signal.throwIfAborted();
    const file = openOfficeFile(bytes, MAX_BYTES);
    const presentation = treeOf(file.part(file.main), file.main).children[0];
    const isRightToLeft = ['1', 'true'].includes(presentation?.attributes.rtl ?? '');
    const slides = new SlideReader(file, slideTransform(presentation), isRightToLeft);
    const links = file.relationships(file.main);
    const parts: string[] = [];
    const places: SourcePlace[] = [];
    let length = 0;
    let hidden = 0;
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
    const { pictureNames } = slides;
    const leftOut = pictureNames > 0 ? { picture_name: pictureNames } : {};
    return { text: parts.join(''), places, mediaType: 'text/markdown', title, metadata, leftOut };
  },
});

export default createPptxReader;

interface Slide {
  readonly isHidden: boolean;
  /** In reading order, with the title first. */
  readonly blocks: readonly Block[];
}

interface Block {
  readonly text: string;
  readonly isTitle: boolean;
  readonly position: SourcePosition;
}

const LEFT_OUT: ReadonlySet<string> = new Set(['sldNum', 'dt', 'ftr', 'hdr']);
const TITLES: ReadonlySet<string> = new Set(['title', 'ctrTitle']);
const LISTS: ReadonlySet<string | undefined> = new Set([undefined, 'body', 'obj']);

interface Surroundings {
  readonly path: string;
  readonly links: ReadonlyMap<string, Relationship>;
  readonly transform: Transform;
}

class SlideReader {
  readonly #file: OfficeFile;
  readonly #transform: Transform;
  readonly #frames: InheritedFrames;
  readonly #texts = new Map<string, string>();
  readonly #read = new Set<string>();
  readonly #isRightToLeft: boolean;
  #images = 0;
  /** How many pictures are described only by the names of their files, which are not written. */
  pictureNames = 0;

  constructor(file: OfficeFile, transform: Transform, isRightToLeft: boolean) {
    this.#file = file;
    this.#isRightToLeft = isRightToLeft;
    this.#transform = transform;
    this.#frames = new InheritedFrames(file);
  }

  read(path: string): Slide {
    if (this.#read.has(path))
      throw refusedError(`The file cannot be read: it is damaged (${path} is in it twice).`);
    this.#read.add(path);
    const slide = this.#root(path);
    const links = this.#file.relationships(path);
    const tree = find(slide, 'cSld', 'spTree');
    const units = this.#shapes(tree, { path, links, transform: this.#transform });
    const titles = units.flatMap(({ items }) => items).filter(({ isTitle }) => isTitle);
    const others = units.map((unit) => ({ ...unit, items: unit.items.filter(({ isTitle }) => !isTitle) }));
    const notes = [...links.values()].find(({ type }) => type === 'notesSlide')?.target;
    const note = notes === undefined ? '' : this.#textOf(notes, (root) => notesOf(root));
    const isHidden = ['0', 'false'].includes(slide?.attributes.show ?? '');
    const blocks = [...titles, ...inReadingOrder(others, this.#isRightToLeft)];
    if (note !== '') blocks.push({ text: `Notes: ${note}`, isTitle: false, position: {} });
    return { isHidden, blocks };
  }

  #root(path: string): Element | undefined {
    return treeOf(this.#file.part(path), path).children[0];
  }

  #textOf(path: string, write: (root: Element | undefined) => string): string {
    if (!this.#texts.has(path)) this.#texts.set(path, this.#file.has(path) ? write(this.#root(path)) : '');
    return this.#texts.get(path) as string;
  }

  /** The shapes of a tree that have text. A group is one unit, so that its shapes stay together. */
  #shapes(tree: Element | undefined, around: Surroundings): Unit<Block>[] {
    return (tree?.children ?? []).flatMap((shape): Unit<Block>[] => {
      const { name } = shape;
      if (name === 'grpSp') {
        const transform = groupTransform(frameOf(shape), around.transform);
        const items = inReadingOrder(this.#shapes(shape, { ...around, transform }), this.#isRightToLeft);
        return items.length === 0
          ? []
          : [{ items, box: boxAround(items.map(({ position }) => position.box)) }];
      }
      if (name === 'AlternateContent')
        return this.#shapes(find(shape, 'Choice') ?? find(shape, 'Fallback'), around);
      if (name !== 'sp' && name !== 'pic' && name !== 'graphicFrame') return [];
      const block = this.#block(shape, around);
      return block.text === '' ? [] : [{ items: [block], box: block.position.box }];
    });
  }

  #block(shape: Element, { path, links, transform }: Surroundings): Block {
    const placeholder = placeholderOf(shape);
    const box = boxOf(frameOf(shape) ?? this.#frames.frameOf(path, placeholder), transform);
    const { type } = placeholder?.attributes ?? {};
    const isTitle = type !== undefined && TITLES.has(type);
    const isPicture = shape.name === 'pic';
    const position = { ...(box && { box }), ...(isPicture && { image: ++this.#images }) };
    if (type !== undefined && LEFT_OUT.has(type)) return { text: '', isTitle, position };
    if (isPicture) return { text: this.#describe(shape), isTitle: false, position };
    if (shape.name === 'graphicFrame') return { text: this.#graphic(shape, links), isTitle, position };
    const body = find(shape, 'txBody');
    const isList = placeholder !== undefined && LISTS.has(type);
    return { text: isTitle ? lineOf(body, links) : writeBody(body, links, isList), isTitle, position };
  }

  #describe(picture: Element): string {
    const text = descriptionOf(picture);
    if (isFileName(text)) this.pictureNames++;
    return text === '' || isFileName(text) ? '' : `![${text.replace(/[[\]]/g, '\\$&')}]()`;
  }

  #graphic(frame: Element, links: Surroundings['links']): string {
    const data = find(frame, 'graphic', 'graphicData');
    const table = find(data, 'tbl');
    if (table !== undefined) return writeTable(table, links);
    const chart = links.get(referenceOf(find(data, 'chart')))?.target;
    if (chart !== undefined) return this.#textOf(chart, (root) => writeChart(find(root, 'chart')));
    const diagram = links.get(referenceOf(find(data, 'relIds'), 'dm'))?.target;
    return diagram === undefined ? '' : this.#textOf(diagram, writeDiagram);
  }
}

function descriptionOf(picture: Element): string {
  return oneLine(decodeEscapes(findBelow(picture, 'cNvPr')?.attributes.descr ?? ''));
}

function notesOf(notes: Element | undefined): string {
  const shapes = childrenOf(find(notes, 'cSld', 'spTree'), 'sp');
  const bodies = shapes.filter((shape) => placeholderOf(shape)?.attributes.type === 'body');
  const texts = bodies.map((shape) => writeBody(find(shape, 'txBody'), new Map(), false));
  return texts.filter((text) => text !== '').join('\n\n');
}
