import type { PdfFile } from '../../../../../plugins/readers/pdf/pdf-file.ts';

/** A block as a tagged file says it, in its order. */
export interface TaggedBlock {
  readonly role: string;
  text: string;
}

const BLOCK = /^(?:H\d?|P|LI|TD|TH|Caption|Title|Note|BlockQuote|TOCI)$/;
const MAX_DEPTH = 200;

/** The blocks of a tagged file; none of another. */
export function taggedBlocks(file: PdfFile): TaggedBlock[] {
  const { call } = file.pdfium;
  const blocks: TaggedBlock[] = [];
  for (let index = 0; file.isTagged && index < file.pages; index++) {
    const page = call.FPDF_LoadPage(file.document, index);
    if (page === 0) continue;
    blocks.push(...blocksOf(file, page));
    call.FPDF_ClosePage(page);
  }
  return blocks.filter(({ text }) => text.trim() !== '');
}

function blocksOf({ pdfium }: PdfFile, page: number): TaggedBlock[] {
  const { call } = pdfium;
  const blocks: TaggedBlock[] = [];
  const tree = call.FPDF_StructTree_GetForPage(page);
  if (tree === 0) return blocks;
  const texts = textsOf(call, page);
  const walk = (element: number, around: TaggedBlock | undefined, depth: number): void => {
    if (element === 0 || depth > MAX_DEPTH) return;
    const role = pdfium.utf16((buffer, bytes) => call.FPDF_StructElement_GetType(element, buffer, bytes));
    const block = BLOCK.test(role) ? { role, text: '' } : around;
    if (block !== undefined && block !== around) blocks.push(block);
    for (let index = 0; index < call.FPDF_StructElement_CountChildren(element); index++) {
      const content = call.FPDF_StructElement_GetChildMarkedContentID(element, index);
      if (content < 0) walk(call.FPDF_StructElement_GetChildAtIndex(element, index), block, depth + 1);
      else if (block !== undefined) block.text += texts.get(content) ?? '';
    }
  };
  for (let index = 0; index < call.FPDF_StructTree_CountChildren(tree); index++)
    walk(call.FPDF_StructTree_GetChildAtIndex(tree, index), undefined, 0);
  call.FPDF_StructTree_Close(tree);
  return blocks;
}

/** The text of each marked content, with the spaces and line breaks that PDFium finds. */
function textsOf(call: PdfFile['pdfium']['call'], page: number): Map<number, string> {
  const texts = new Map<number, string>();
  const text = call.FPDFText_LoadPage(page);
  let content = -1;
  for (let index = 0; index < call.FPDFText_CountChars(text); index++) {
    const object = call.FPDFText_GetTextObject(text, index);
    if (object !== 0) content = call.FPDFPageObj_GetMarkedContentID(object);
    const unicode = call.FPDFText_GetUnicode(text, index);
    if (unicode <= 0x10ffff) texts.set(content, (texts.get(content) ?? '') + String.fromCodePoint(unicode));
  }
  call.FPDFText_ClosePage(text);
  return texts;
}
