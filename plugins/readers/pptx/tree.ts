import { refusedError } from '../../../core/kit.ts';
import { readXml, type XmlAttributes } from '../../toolkit/markup/index.ts';

export interface Element {
  readonly name: string;
  readonly attributes: XmlAttributes;
  readonly children: readonly Element[];
  readonly text: string;
}

const MAX_ELEMENTS = 300_000;

export function treeOf(bytes: Uint8Array, path: string): Element {
  const root = { name: '', attributes: {}, children: [] as Element[], text: '' };
  const open: { children: Element[]; text: string }[] = [root];
  let count = 0;
  readXml(bytes, path, {
    open(name, attributes) {
      if (++count > MAX_ELEMENTS)
        throw refusedError(`The file cannot be read: ${path} has more than ${MAX_ELEMENTS} elements.`);
      const element = { name, attributes, children: [], text: '' };
      open.at(-1)?.children.push(element);
      open.push(element);
    },
    close() {
      open.pop();
    },
    text(text) {
      const element = open.at(-1);
      // Elements with children have no text of their own in these files.
      if (element !== undefined && element.children.length === 0) element.text += text;
    },
  });
  return root;
}

export function find(element: Element | undefined, ...path: readonly string[]): Element | undefined {
  return path.reduce((above, name) => above?.children.find((child) => child.name === name), element);
}

export function childrenOf(element: Element | undefined, name: string): Element[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

export function findBelow(element: Element | undefined, name: string): Element | undefined {
  for (const child of element?.children ?? []) {
    const match = child.name === name ? child : findBelow(child, name);
    if (match !== undefined) return match;
  }
  return;
}

export function referenceOf(element: Element | undefined, name = 'id'): string {
  const attribute = Object.entries(element?.attributes ?? {}).find(([key]) => key.endsWith(`:${name}`));
  return attribute?.[1] ?? '';
}
