import { reasonOf } from '../../../core/errors.ts';

/** The kinds of files that are read, with their media types. */
export const KINDS = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  html: 'text/html',
  epub: 'application/epub+zip',
} as const;

export type FileKind = keyof typeof KINDS;

/** A reader of files. */
export interface FileReader {
  readonly name: string;
  readonly kinds: readonly FileKind[];
  /** Whether it says where on a page each text stands. */
  readonly hasBoxes: boolean;
  read(bytes: Buffer, name: string, kind: FileKind): Promise<Read> | Read;
}

interface Read {
  readonly text: string;
  /** Of a PDF. */
  readonly pages?: number;
}

const WITHOUT_PDF = ['docx', 'pptx', 'xlsx', 'html', 'epub'] as const;

/** Each loads a native library, which may need another system. */
const PEERS: Readonly<Record<string, () => Promise<FileReader>>> = {
  async 'docling.rs'() {
    const { convert } = await import('docling.rs');
    const read = (data: Buffer, name: string) => ({ text: convert({ name, data }).content });
    // It reads a PDF with models that are no packages.
    return { name: 'docling.rs', kinds: WITHOUT_PDF, hasBoxes: false, read };
  },
  async liteparse() {
    const { LiteParse } = await import('@llamaindex/liteparse');
    const parser = new LiteParse({ ocrEnabled: false, quiet: true, numWorkers: 1 });
    // It reads Office files through LibreOffice.
    return {
      ...{ name: 'liteparse', kinds: ['pdf'], hasBoxes: true },
      async read(bytes) {
        const { text, pages } = await parser.parse(bytes);
        return { text, pages: pages.length };
      },
    };
  },
  async kreuzberg() {
    const { extractBytesSync } = await import('@kreuzberg/node');
    // The library is loaded by the first call.
    extractBytesSync(Buffer.from('<p>a</p>'), KINDS.html);
    return {
      ...{ name: 'kreuzberg', kinds: ['pdf', ...WITHOUT_PDF], hasBoxes: false },
      read: (bytes, _, kind) => ({ text: extractBytesSync(bytes, KINDS[kind]).content }),
    };
  },
};

/** Loads the peers, and prints why one is left out. */
export async function loadPeers(): Promise<FileReader[]> {
  const peers: FileReader[] = [];
  for (const [name, load] of Object.entries(PEERS))
    try {
      peers.push(await load());
    } catch (error) {
      console.log(`Left out: ${name} cannot be loaded here: ${reasonOf(error).slice(0, 200)}`);
    }
  return peers;
}
