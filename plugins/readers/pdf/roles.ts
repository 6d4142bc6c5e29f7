import type { PDFPageProxy } from 'pdfjs-dist';

/** A block of a tagged file: a paragraph, a heading, a list item, a row of a table. */
export interface Block {
  readonly role: string;
  /** The table around it, by identity. */
  readonly table?: object | undefined;
  readonly figure?: Description | undefined;
}

interface Description {
  readonly alt: string | undefined;
  /** In the coordinates of the file. */
  readonly bounds: readonly number[] | undefined;
}

export type Roles = ReadonlyMap<string, Block>;

/** A node as pdf.js gives it, whose types lack some members. */
interface Node {
  readonly role?: string;
  readonly type?: string;
  readonly id?: string;
  readonly alt?: string;
  readonly bbox?: readonly number[];
  readonly children?: readonly Node[];
}

const BLOCK =
  /^(?:H\d?|P|L|LI|TD|TH|TR|Table|Caption|Note|BlockQuote|Code|TOCI|Figure|Formula|Title|Artifact)$/;
/** Blocks whose paragraphs are not blocks of their own. */
const WHOLE = /^(?:LI|TD|TH|TOCI|Caption|Note)$/;
const HEADING = /^(?:H\d?|Title)$/;
const MAX_DEPTH = 200;

/** Finds the nearest block around each marked content of a page. */
export function findRoles(tree: Awaited<ReturnType<PDFPageProxy['getStructTree']>> | undefined): Roles {
  const roles = new Map<string, Block>();
  const walk = (node: Node, around: Block | undefined, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    for (const child of node.children ?? []) {
      if (child.type !== 'content') walk(child, blockOf(child, around), depth + 1);
      else if (around !== undefined && child.id !== undefined) roles.set(child.id, around);
    }
  };
  if (tree) walk(tree as Node, undefined, 0);
  return roles;
}

function blockOf(node: Node, around: Block | undefined): Block | undefined {
  const { role = '', alt, bbox } = node;
  if (!BLOCK.test(role) || (role === 'P' && around !== undefined && WHOLE.test(around.role))) return around;
  const description = alt?.trim()
    ? { alt: alt.toWellFormed().replace(/\s+/g, ' ').trim(), bounds: bbox }
    : undefined;
  return {
    role,
    table: role === 'Table' ? node : around?.table,
    figure: role === 'Figure' || role === 'Formula' ? description : undefined,
  };
}

/** The level of a heading; `undefined` for another block. */
export function levelOf({ role }: Block): number | undefined {
  if (!HEADING.test(role)) return undefined;
  return role === 'Title' ? 1 : Math.min(Math.max(Number(role.slice(1)) || 2, 1), 6);
}

export const isHeading = (block: Block | undefined): boolean =>
  block !== undefined && levelOf(block) !== undefined;

/** Whether two blocks are the same, or in the same table. */
export const isSameBlock = (a: Block, b: Block): boolean =>
  a === b || (a.table !== undefined && a.table === b.table);
