import type { PDFDocumentProxy } from 'pdfjs-dist';

/** A block as a tagged file says it, in its order. */
export interface TaggedBlock {
  readonly role: string;
  text: string;
}

interface Node {
  readonly role?: string;
  readonly type?: string;
  readonly id?: string;
  readonly children?: readonly Node[];
}

const BLOCK = /^(?:H\d?|P|LI|TD|TH|Caption|Title|Note|BlockQuote|TOCI)$/;

/** The blocks of a tagged file; none of another. */
export async function taggedBlocks(document: PDFDocumentProxy): Promise<TaggedBlock[]> {
  const marks = (await document.getMarkInfo()) as unknown as ReadonlyMap<string, boolean> | null;
  if (marks?.get('Marked') !== true) return [];
  const blocks: TaggedBlock[] = [];
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const texts = textsOf((await page.getTextContent({ includeMarkedContent: true })).items);
    const walk = (node: Node, around: TaggedBlock | undefined): void => {
      for (const child of node.children ?? []) {
        if (child.type === 'content') {
          if (around !== undefined) around.text += texts.get(child.id ?? '') ?? '';
          continue;
        }
        const own = BLOCK.test(child.role ?? '') ? { role: child.role ?? '', text: '' } : undefined;
        if (own !== undefined) blocks.push(own);
        walk(child, own ?? around);
      }
    };
    walk(((await page.getStructTree()) ?? {}) as Node, undefined);
  }
  return blocks.filter(({ text }) => text.trim() !== '');
}

type Items = Awaited<ReturnType<Awaited<ReturnType<PDFDocumentProxy['getPage']>>['getTextContent']>>['items'];

/** The text of each marked content. */
function textsOf(items: Items): Map<string, string> {
  const texts = new Map<string, string>();
  const open: (string | undefined)[] = [];
  for (const item of items) {
    if (!('str' in item)) {
      if (item.type === 'endMarkedContent') open.pop();
      else open.push(item.id ?? open.at(-1));
      continue;
    }
    const id = open.at(-1);
    if (id !== undefined) texts.set(id, `${texts.get(id) ?? ''}${item.str}${item.hasEOL ? ' ' : ''}`);
  }
  return texts;
}
