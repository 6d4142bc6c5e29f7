import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import { attributeOf, type Element, type Node, walk } from './nodes.ts';

/** Moves the head and foot of a table to where browsers show them, wherever they are written. */
export function orderRows(table: Element): void {
  const { childNodes } = table;
  const head = childNodes.find(({ nodeName }) => nodeName === 'thead');
  const foot = childNodes.find(({ nodeName }) => nodeName === 'tfoot');
  if (head === undefined && foot === undefined) return;
  const others = childNodes.filter((node) => node !== head && node !== foot);
  const first = others.findIndex(({ nodeName }) => /^(?:tbody|thead|tfoot|tr)$/.test(nodeName));
  const before = first === -1 ? others.length : first;
  const written = [...others.slice(0, before), head, ...others.slice(before), foot];
  table.childNodes = written.filter((node) => node !== undefined);
}

/**
 * Replaces the content of an element by its declarative shadow root, as browsers show it. The nodes of the element
 * itself are in the slots.
 *
 * @returns how many of its nodes are in none of the slots, so that they are not shown
 */
export function openShadow(host: Element): number {
  const template = host.childNodes.find(isShadowRoot);
  if (template === undefined) return 0;
  const assigned = new Map<string, Node[]>();
  for (const node of host.childNodes) {
    if (node === template) continue;
    const name = 'tagName' in node ? (attributeOf(node, 'slot') ?? '') : '';
    const nodes = assigned.get(name);
    if (nodes === undefined) assigned.set(name, [node]);
    else nodes.push(node);
  }
  const { content } = template;
  fillSlots(content, assigned);
  for (const node of content.childNodes) node.parentNode = host;
  host.childNodes = content.childNodes;
  return [...assigned.values()].flat().filter((node) => 'tagName' in node || !isBlank(node)).length;
}

function isShadowRoot(node: Node): node is Tree.Template {
  return (
    node.nodeName === 'template' &&
    /^(?:open|closed)$/i.test(attributeOf(node as Element, 'shadowrootmode') ?? '')
  );
}

function fillSlots(content: Tree.DocumentFragment, assigned: Map<string, Node[]>): void {
  const enter = (node: Node): boolean => {
    if (node.nodeName !== 'slot') return 'tagName' in node;
    const slot = node as Element;
    const name = attributeOf(slot, 'name') ?? '';
    const nodes = assigned.get(name);
    assigned.delete(name);
    if (nodes === undefined || nodes.every(isBlank)) return true;
    for (const one of nodes) one.parentNode = slot;
    slot.childNodes = nodes;
    return false;
  };
  walk(content, enter, () => undefined);
}

const isBlank = (node: Node): boolean =>
  node.nodeName === '#comment' || ('value' in node && node.value.trim() === '');
