import type { Node } from 'web-tree-sitter';
import { nameOf } from '../../../../../plugins/chunkers/code/naming.ts';
import { type Syntax, unitOf } from '../../../../../plugins/chunkers/code/syntax.ts';
import { type Range, withTree } from './functions.ts';

/**
 * Chunks as the paper on cAST (Zhang et al. 2025) describes them, as a yardstick: the children of a node are put
 * together as long as they have at most so many characters that are not white space, one that has more is split in the
 * same way, and neighbours that fit together are merged. Their package astchunk 0.1.0 leaves the windows of the root
 * unmerged, and gives first lines instead of names; neither changes what is found beyond chance.
 *
 * @param most characters of a chunk, without white space
 * @returns chunks of the whole text, each with the names of the units around its start
 */
export function splitThenMerge(
  language: string,
  text: string,
  most: number,
): Promise<(Range & { readonly context: string })[]> {
  return withTree(language, text, (root, syntax) => {
    const before = blackBefore(text);
    const size = ({ start, end }: Range) => (before[end] as number) - (before[start] as number);
    const windows = merged(split(root.children.filter(isNode), size, most), size, most);
    return windows.map((window, at) => {
      const start = at === 0 ? 0 : window.start;
      const end = windows[at + 1]?.start ?? text.length;
      return { start, end, context: namesAround(root, window.start, syntax) };
    });
  });
}

const isNode = (node: Node | null): node is Node => node !== null;

/** For each offset, the characters before it that are not white space. */
function blackBefore(text: string): Uint32Array {
  const before = new Uint32Array(text.length + 1);
  for (let at = 0; at < text.length; at++)
    before[at + 1] = (before[at] as number) + (/\s/.test(text[at] as string) ? 0 : 1);
  return before;
}

type Size = (range: Range) => number;

function split(nodes: readonly Node[], size: Size, most: number): Range[] {
  const windows: Range[] = [];
  let open: Range | undefined;
  for (const node of nodes) {
    const own = { start: node.startIndex, end: node.endIndex };
    if (open !== undefined && size({ ...open, end: own.end }) <= most) {
      open = { ...open, end: own.end };
      continue;
    }
    if (open !== undefined) windows.push(open);
    open = undefined;
    const children = node.children.filter(isNode);
    if (size(own) <= most || children.length === 0) open = own;
    else windows.push(...merged(split(children, size, most), size, most));
  }
  return open === undefined ? windows : [...windows, open];
}

function merged(windows: readonly Range[], size: Size, most: number): Range[] {
  const all: Range[] = [];
  for (const window of windows) {
    const both = { start: all.at(-1)?.start ?? 0, end: window.end };
    if (all.length > 0 && size(both) <= most) all.splice(-1, 1, both);
    else all.push(window);
  }
  return all;
}

/** The names of the functions and classes that an offset is within, outermost first. */
function namesAround(root: Node, offset: number, syntax: Syntax): string {
  const names: string[] = [];
  for (let node: Node | null = root; node !== null; ) {
    const inner: Node | undefined = node.children
      .filter(isNode)
      .find(({ startIndex, endIndex }) => startIndex < offset && offset < endIndex);
    if (inner === undefined) break;
    if (unitOf(syntax, inner)?.id === inner.id) names.push(nameOf(syntax, inner) ?? '');
    node = inner;
  }
  return names.join(' ');
}
