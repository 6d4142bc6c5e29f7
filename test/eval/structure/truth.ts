import type { Nodes, Root } from 'mdast';
import { toString as wordsOf } from 'mdast-util-to-string';
import { parseReference, placeOf, referenceBlocks } from '../../support/markdown/reference.ts';

/** What another parser knows of a page. */
export type Truth = ReturnType<typeof truthOf>;

export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** A heading that something stands under. */
interface Above {
  readonly level: number;
  readonly name: string;
}

export function truthOf(text: string) {
  const root = parseReference(text);
  // Rows of tables are without headers.
  return {
    blocks: referenceBlocks(text, root),
    rows: rowsOf(root),
    outer: outerOf(root),
    headings: headingsOf(root),
  };
}

function rowsOf(root: Root): Stretch[] {
  const rows: Stretch[] = [];
  const visit = (node: Nodes): void => {
    if (node.type === 'table') rows.push(...node.children.slice(1).map((row) => placeOf(row)));
    else if ('children' in node) node.children.forEach(visit);
  };
  visit(root);
  return rows;
}

/** From the ends of headings to the beginnings of what follows. */
function headingsOf({ children }: Root): Stretch[] {
  return children.slice(0, -1).flatMap((node, at) => {
    const next = children[at + 1] as (typeof children)[number];
    return node.type === 'heading' ? [{ start: placeOf(node).end, end: placeOf(next).start }] : [];
  });
}

/** The blocks outside of containers, each with the headings that it stands under, itself included if it is one. */
function outerOf({ children }: Root) {
  const open: Above[] = [];
  return children.map((node, index) => {
    const next = children[index + 1];
    const isHeading = node.type === 'heading';
    if (isHeading) {
      while ((open.at(-1)?.level ?? 0) >= node.depth) open.pop();
      open.push({ level: node.depth, name: wordsOf(node, { includeHtml: false }) });
    }
    // Whether another heading follows at once.
    const isLead = isHeading && next?.type === 'heading';
    return { ...placeOf(node), path: [...open], isLead, isHeading };
  });
}

/** The headings that all of a stretch stands under; those that only lead into others within it do not count. */
export function pathOf({ outer }: Truth, { start, end }: Stretch): readonly string[] {
  const held = outer.filter((block) => block.start < end && block.end > start);
  const counted = held.filter(({ isLead }, index) => !isLead || index === held.length - 1);
  const common = counted.map(({ path }) => path).reduce(commonBeginning, counted[0]?.path ?? []);
  return common.map(({ name }) => name);
}

function commonBeginning(first: readonly Above[], second: readonly Above[]): readonly Above[] {
  let length = 0;
  while (length < first.length && first[length] === second[length]) length++;
  return first.slice(0, length);
}
