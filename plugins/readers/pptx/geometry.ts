import type { SourcePosition } from '../../../core/kit.ts';
import type { OfficeFile } from '../../toolkit/office/index.ts';
import { childrenOf, type Element, find, treeOf } from './tree.ts';

/** `[a, b, c, d, e, f]` maps the point `x, y` to `a x + c y + e, b x + d y + f`. */
export type Transform = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Units per degree of an angle (ECMA-376, part 1, 20.1.10.3). */
const DEGREE = 60_000;
const DECIMALS = 10_000;

export function slideTransform(presentation: Element | undefined): Transform {
  const { cx = '12192000', cy = '6858000' } = find(presentation, 'sldSz')?.attributes ?? {};
  return [1 / Number(cx), 0, 0, 1 / Number(cy), 0, 0];
}

/** The box around a rotated shape; undefined without coordinates. @param frame the `xfrm` of the shape */
export function boxOf(frame: Element | undefined, outer: Transform): SourcePosition['box'] {
  const own = rectangleOf(frame, 'off', 'ext');
  if (own === undefined) return;
  const { x, y, width, height } = own;
  const turned = after(outer, rotation(frame, own));
  const corners = [
    [x, y],
    [x + width, y],
    [x, y + height],
    [x + width, y + height],
  ].map(([x = 0, y = 0]) => [
    turned[0] * x + turned[2] * y + turned[4],
    turned[1] * x + turned[3] * y + turned[5],
  ]);
  const xs = corners.map(([x]) => fraction(x));
  const ys = corners.map(([, y]) => fraction(y));
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

export function groupTransform(frame: Element | undefined, outer: Transform): Transform {
  const own = rectangleOf(frame, 'off', 'ext');
  const inner = rectangleOf(frame, 'chOff', 'chExt');
  if (own === undefined || inner === undefined || inner.width === 0 || inner.height === 0) return outer;
  const x = own.width / inner.width;
  const y = own.height / inner.height;
  const scale: Transform = [x, 0, 0, y, own.x - inner.x * x, own.y - inner.y * y];
  return after(outer, after(rotation(frame, own), after(flip(frame, own), scale)));
}

function rotation(frame: Element | undefined, { x, y, width, height }: Rectangle): Transform {
  const angle = ((Number(frame?.attributes.rot ?? 0) / DEGREE) * Math.PI) / 180;
  const [cos, sin] = Number.isFinite(angle) ? [Math.cos(angle), Math.sin(angle)] : [1, 0];
  const left = x + width / 2;
  const top = y + height / 2;
  return [cos, sin, -sin, cos, left - left * cos + top * sin, top - left * sin - top * cos];
}

function flip(frame: Element | undefined, { x, y, width, height }: Rectangle): Transform {
  const isOn = (name: string) => ['1', 'true'].includes(frame?.attributes[name] ?? '');
  const isAcross = isOn('flipH');
  const isDown = isOn('flipV');
  return [
    isAcross ? -1 : 1,
    0,
    0,
    isDown ? -1 : 1,
    isAcross ? 2 * x + width : 0,
    isDown ? 2 * y + height : 0,
  ];
}

/** The transform that applies `inner` first, then `outer`. */
function after(outer: Transform, inner: Transform): Transform {
  const [a, b, c, d, e, f] = outer;
  const [g, h, i, j, k, l] = inner;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

function rectangleOf(frame: Element | undefined, offset: string, extent: string): Rectangle | undefined {
  const { x, y } = find(frame, offset)?.attributes ?? {};
  const { cx, cy } = find(frame, extent)?.attributes ?? {};
  const numbers = [x, y, cx, cy].map(Number);
  if (!numbers.every(Number.isFinite)) return;
  return {
    x: numbers[0] as number,
    y: numbers[1] as number,
    width: numbers[2] as number,
    height: numbers[3] as number,
  };
}

function fraction(value = 0): number {
  const rounded = Math.round(Math.min(1, Math.max(0, value)) * DECIMALS) / DECIMALS;
  return Number.isFinite(rounded) ? rounded : 0;
}

const OF_MASTER: Readonly<Record<string, string>> = { title: 'title', ctrTitle: 'title' };

type Placeholders = ReadonlyMap<string, Element>;

export function placeholderOf(shape: Element): Element | undefined {
  const properties = shape.children.find(({ name }) => /^nv(Sp|Pic|GraphicFrame)Pr$/.test(name));
  return find(properties, 'nvPr', 'ph');
}

export function frameOf(shape: Element | undefined): Element | undefined {
  return find(shape, 'xfrm') ?? find(shape, 'spPr', 'xfrm') ?? find(shape, 'grpSpPr', 'xfrm');
}

export class InheritedFrames {
  readonly #file: OfficeFile;
  readonly #read = new Map<string, Placeholders>();

  constructor(file: OfficeFile) {
    this.#file = file;
  }

  /** @param slide path of the slide */
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
    const read = this.#read.get(path);
    if (read !== undefined) return read;
    const placeholders = new Map<string, Element>();
    const tree = this.#file.has(path) ? treeOf(this.#file.part(path), path).children[0] : undefined;
    for (const shape of childrenOf(find(tree, 'cSld', 'spTree'), 'sp')) {
      const placeholder = placeholderOf(shape);
      if (placeholder !== undefined) placeholders.set(keyOf(placeholder), shape);
    }
    this.#read.set(path, placeholders);
    return placeholders;
  }
}
