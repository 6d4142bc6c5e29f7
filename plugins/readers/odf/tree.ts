import type { XmlAttributes } from '../../toolkit/markup/index.ts';

export interface Element {
  readonly name: string;
  readonly attributes: XmlAttributes;
  readonly children: (Element | string)[];
}

export function elementsOf(element: Element | undefined): Element[] {
  return element?.children.filter((child) => typeof child !== 'string') ?? [];
}

export function childOf(element: Element | undefined, name: string): Element | undefined {
  return elementsOf(element).find((child) => child.name === name);
}

/** All elements of the name below an element, in their order, without those inside others of the name. */
export function allBelow(element: Element, name: string): Element[] {
  return elementsOf(element).flatMap((child) => (child.name === name ? [child] : allBelow(child, name)));
}

export function firstBelow(element: Element, name: string): Element | undefined {
  for (const child of elementsOf(element)) {
    const found = child.name === name ? child : firstBelow(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function textBelow({ children }: Element): string {
  return children.map((child) => (typeof child === 'string' ? child : textBelow(child))).join('');
}

/** @param most the maximum; larger counts are cut to it */
export function countOf(written: string | undefined, most: number): number {
  const count = Number(written ?? 1);
  return count >= 1 ? Math.min(Math.trunc(count), most) : 1;
}
