import { withoutUnreadable } from './characters.ts';
import type { Pdfium } from './pdfium.ts';

/** A block of a tagged file: a paragraph, a heading, a list item, a row of a table. */
export interface Block {
  readonly role: string;
  /** The table around it, by identity. */
  readonly table?: object | undefined;
  /** The description of a picture. */
  readonly figure?: string | undefined;
}

/** The blocks of marked contents, by their ids. */
export type Roles = ReadonlyMap<number, Block>;

const BLOCK =
  /^(?:H\d?|P|L|LI|TD|TH|TR|Table|Caption|Note|BlockQuote|Code|TOCI|Figure|Formula|Title|Artifact)$/;
/** Blocks whose paragraphs are not blocks of their own. */
const WHOLE = /^(?:LI|TD|TH|TOCI|Caption|Note)$/;
const HEADING = /^(?:H\d?|Title)$/;
const MAX_DEPTH = 200;

/** Finds the nearest block around each marked content of a page. */
export function findRoles(pdfium: Pdfium, page: number): Roles {
  const { call } = pdfium;
  const roles = new Map<number, Block>();
  const tree = call.FPDF_StructTree_GetForPage(page);
  if (tree === 0) return roles;
  const walk = (element: number, around: Block | undefined, depth: number): void => {
    if (element === 0 || depth > MAX_DEPTH) return;
    const block = blockOf(pdfium, element, around);
    const count = call.FPDF_StructElement_CountChildren(element);
    for (let index = 0; index < count; index++) {
      const content = call.FPDF_StructElement_GetChildMarkedContentID(element, index);
      if (content >= 0 && block !== undefined) roles.set(content, block);
      else if (content < 0) walk(call.FPDF_StructElement_GetChildAtIndex(element, index), block, depth + 1);
    }
  };
  const count = call.FPDF_StructTree_CountChildren(tree);
  for (let index = 0; index < count; index++)
    walk(call.FPDF_StructTree_GetChildAtIndex(tree, index), undefined, 0);
  call.FPDF_StructTree_Close(tree);
  return roles;
}

function blockOf(pdfium: Pdfium, element: number, around: Block | undefined): Block | undefined {
  const { call } = pdfium;
  const role = pdfium.utf16((buffer, bytes) => call.FPDF_StructElement_GetType(element, buffer, bytes));
  if (!BLOCK.test(role) || (role === 'P' && around !== undefined && WHOLE.test(around.role))) return around;
  const alt = pdfium.utf16((buffer, bytes) => call.FPDF_StructElement_GetAltText(element, buffer, bytes));
  const description = withoutUnreadable(alt.toWellFormed()).text.replace(/\s+/g, ' ').trim() || undefined;
  return {
    role,
    table: role === 'Table' ? { element } : around?.table,
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
