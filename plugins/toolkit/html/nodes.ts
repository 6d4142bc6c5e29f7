import type { DefaultTreeAdapterTypes as Tree } from 'parse5';

export type Node = Tree.ChildNode;
export type Element = Tree.Element;

export const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/));

/** Elements whose content is never text of the page. Each is counted as left out. */
export const NEVER_SHOWN = words(
  'script style template iframe frame noembed noframes audio video canvas datalist',
);

export const BLOCKS = words(
  `address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer
  form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup option p plaintext pre search
  section summary table tbody td tfoot th thead tr ul xmp`,
);

/** Visits the nodes of a tree of any depth. @param enter returns whether to visit the children of a node */
export function walk(
  root: Tree.ParentNode,
  enter: (node: Node) => boolean,
  leave: (node: Element) => void,
): void {
  const open: Tree.ParentNode[] = [root];
  const next: number[] = [0];
  for (let depth = 0; depth >= 0; ) {
    const parent = open[depth] as Tree.ParentNode;
    const child = parent.childNodes[(next[depth] as number)++];
    if (child === undefined) {
      depth--;
      if (parent !== root) leave(parent as Element);
    } else if (enter(child) && 'childNodes' in child) {
      open[++depth] = child;
      next[depth] = 0;
    }
  }
}

export function attributeOf({ attrs }: Element, name: string): string | undefined {
  for (let index = 0; index < attrs.length; index++) {
    const attribute = attrs[index] as (typeof attrs)[number];
    if (attribute.name === name) return attribute.value;
  }
  return undefined;
}
