import { refusedError, type SourcePlace, type SourcePosition } from '../../../core/kit.ts';
import { lengthOf, type Styles } from './styles.ts';
import type { TextWriter } from './text.ts';
import { allBelow, childOf, type Element, elementsOf, textBelow } from './tree.ts';

/** Maximum UTF-16 units of the text. */
const MAX_TEXT = 64 * 1024 * 1024;

interface Block {
  readonly text: string;
  readonly isTitle: boolean;
  readonly position: SourcePosition;
}

/** Placeholders of the master that are not content of the slide. */
const LEFT_OUT: ReadonlySet<string> = new Set(['date-time', 'footer', 'header', 'page-number']);
const NOT_SHAPES: ReadonlySet<string> = new Set([
  'notes',
  'animations',
  'par',
  'seq',
  'layer-set',
  'title',
  'desc',
]);
type Box = readonly [left: number, top: number, right: number, bottom: number];

/** Writes slides and pages of drawings, each with its place, the title first. */
export class SlideWriter {
  readonly places: SourcePlace[] = [];
  hidden = 0;
  readonly #styles: Styles;
  readonly #text: TextWriter;
  readonly #masters: ReadonlyMap<string, string>;
  readonly #parts: string[] = [];
  #length = 0;
  #page = 0;
  #images = 0;

  /** @param masters the layout of each master page */
  constructor(styles: Styles, text: TextWriter, masters: ReadonlyMap<string, string>) {
    this.#styles = styles;
    this.#text = text;
    this.#masters = masters;
  }

  text(): string {
    return this.#parts.join('');
  }

  /** Adds an element `page`. */
  add(slide: Element): void {
    const { attributes } = slide;
    this.#page++;
    const visibility = this.#styles.property(
      'drawing-page',
      attributes['draw:style-name'],
      'presentation:visibility',
    );
    if (visibility === 'hidden') this.hidden++;
    const size = this.#styles.pages.get(this.#masters.get(attributes['draw:master-page-name'] ?? '') ?? '');
    const blocks = [...this.#blocks(slide, size), this.#notes(slide)].filter(({ text }) => text !== '');
    if (blocks.length === 0) this.places.push({ start: this.#length, end: this.#length, page: this.#page });
    for (const is of [true, false])
      for (const { text, isTitle, position } of blocks)
        if (isTitle === is) this.#add(text, isTitle, position);
  }

  #add(text: string, isTitle: boolean, position: SourcePosition): void {
    const before = `${this.#length === 0 ? '' : '\n\n'}${isTitle ? '# ' : ''}`;
    const start = this.#length + before.length;
    const end = start + text.length;
    if (end > MAX_TEXT)
      throw refusedError(`The file cannot be read: it has more than ${MAX_TEXT} characters of text.`);
    this.#parts.push(before, text);
    this.#length = end;
    this.places.push({ start, end, page: this.#page, ...position });
  }

  #blocks(parent: Element, size: readonly [number, number] | undefined): Block[] {
    return elementsOf(parent).flatMap((shape): Block[] => {
      const { name, attributes } = shape;
      if (NOT_SHAPES.has(name) || attributes['presentation:placeholder'] === 'true') return [];
      if (name === 'g' || name === 'a') return this.#blocks(shape, size);
      const kind = attributes['presentation:class'] ?? '';
      if (LEFT_OUT.has(kind)) return [];
      const children = elementsOf(shape);
      const isPicture =
        children.some((child) => child.name === 'image') && childOf(shape, 'object') === undefined;
      const box = size === undefined ? undefined : boxOf(shape, size);
      const position = { ...(box && { box }), ...(isPicture && { image: ++this.#images }) };
      if (kind === 'title') {
        const text = this.#text.line(children.flatMap((child) => (child.name === 'text-box' ? [child] : [])));
        return [{ text: text.toWellFormed(), isTitle: true, position }];
      }
      if (name === 'annotation') this.#text.write(shape);
      else this.#text.shape(shape);
      return [{ text: this.#text.take(), isTitle: false, position }];
    });
  }

  #notes(slide: Element): Block {
    const notes = childOf(slide, 'notes');
    const frames = notes === undefined ? [] : allBelow(notes, 'frame');
    const shown = frames.filter(
      ({ attributes }) =>
        attributes['presentation:placeholder'] !== 'true' &&
        !LEFT_OUT.has(attributes['presentation:class'] ?? ''),
    );
    for (const frame of shown) if (textBelow(frame).trim() !== '') this.#text.shape(frame);
    const text = this.#text.take();
    return { text: text === '' ? '' : `Notes: ${text}`, isTitle: false, position: {} };
  }
}

/** The box of a shape as fractions of its page; undefined without one, or if the shape is turned. */
function boxOf({ attributes }: Element, [width, height]: readonly [number, number]): Box | undefined {
  const left = lengthOf(attributes['svg:x']) / width;
  const top = lengthOf(attributes['svg:y']) / height;
  const right = left + lengthOf(attributes['svg:width']) / width;
  const bottom = top + lengthOf(attributes['svg:height']) / height;
  const edges = [left, top, right, bottom].map((edge) => Math.min(Math.max(edge, 0), 1));
  const [from = 0, above = 0, to = 0, below = 0] = edges;
  const isInside = edges.every(Number.isFinite) && from < to && above < below;
  return isInside ? [from, above, to, below] : undefined;
}
