import type { OfficeFile } from '../../../core/kit.ts';
import { childrenOf, type Element, find, treeOf } from './tree.ts';

/** The kinds of placeholders of a master that others inherit from; all others from its body. */
const OF_MASTER: Readonly<Record<string, string>> = { title: 'title', ctrTitle: 'title' };

/** Placeholders of a layout by index, or of a master by kind. */
type Placeholders = ReadonlyMap<string, Element>;

export function placeholderOf(shape: Element): Element | undefined {
  const properties = shape.children.find(({ name }) => /^nv(Sp|Pic|GraphicFrame)Pr$/.test(name));
  return find(properties, 'nvPr', 'ph');
}

/** The `xfrm` of a shape: where it is. */
export function frameOf(shape: Element | undefined): Element | undefined {
  return find(shape, 'xfrm') ?? find(shape, 'spPr', 'xfrm') ?? find(shape, 'grpSpPr', 'xfrm');
}

/** Where the placeholders of slides are, if their layout or master says so. */
export class InheritedFrames {
  readonly #file: OfficeFile;
  readonly #known = new Map<string, Placeholders>();

  constructor(file: OfficeFile) {
    this.#file = file;
  }

  /** @param slide its path */
  frameOf(slide: string, placeholder: Element | undefined): Element | undefined {
    if (placeholder === undefined) return;
    const layout = this.#related(slide, 'slideLayout');
    const { idx = '0' } = placeholder.attributes;
    const ofLayout = this.#placeholders(layout, ({ attributes }) => attributes.idx ?? '0').get(idx);
    if (ofLayout === undefined || frameOf(ofLayout) !== undefined) return frameOf(ofLayout);
    const kind = placeholderOf(ofLayout)?.attributes.type ?? 'body';
    const master = this.#related(layout, 'slideMaster');
    const ofMaster = this.#placeholders(master, ({ attributes }) => attributes.type ?? 'body');
    return frameOf(ofMaster.get(OF_MASTER[kind] ?? 'body'));
  }

  #related(path: string, kind: string): string {
    const related = this.#file.relationships(path).values();
    return [...related].find(({ type }) => type === kind)?.target ?? '';
  }

  #placeholders(path: string, keyOf: (placeholder: Element) => string): Placeholders {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const found = new Map<string, Element>();
    const tree = this.#file.has(path) ? treeOf(this.#file.part(path), path).children[0] : undefined;
    for (const shape of childrenOf(find(tree, 'cSld', 'spTree'), 'sp')) {
      const placeholder = placeholderOf(shape);
      if (placeholder !== undefined) found.set(keyOf(placeholder), shape);
    }
    this.#known.set(path, found);
    return found;
  }
}
