import type { Range } from '../text/ranges.ts';

/** The stretch of the text that is selected in the viewer; `undefined` if none is. */
export function selectedText(): Range | undefined {
  const selection = getSelection();
  if (selection === null || selection.isCollapsed) return undefined;
  const offsets = [
    offsetOf(selection.anchorNode, selection.anchorOffset),
    offsetOf(selection.focusNode, selection.focusOffset),
  ];
  const [a, b] = offsets;
  if (a === undefined || b === undefined || a === b) return undefined;
  return { start: Math.min(a, b), end: Math.max(a, b) };
}

/** Where a place in the page lies in the text: its spans say where they begin. */
function offsetOf(node: Node | null, offset: number): number | undefined {
  const element = node instanceof Element ? node : node?.parentElement;
  const span = element?.closest<HTMLElement>('.cell span[data-start]');
  if (span) return Number(span.dataset.start) + (node instanceof Element ? 0 : offset);
  const child = node instanceof Element ? node.childNodes[offset] : undefined;
  const next =
    child instanceof HTMLElement
      ? (child.querySelector<HTMLElement>('span[data-start]') ?? child)
      : undefined;
  return next?.dataset.start === undefined ? undefined : Number(next.dataset.start);
}
