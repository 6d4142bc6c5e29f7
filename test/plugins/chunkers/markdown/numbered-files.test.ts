import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { postForm } from '../../../support/files.ts';
import { needs } from '../../../support/here.ts';
import { startServer } from '../../../support/server.ts';

/** Numbered headings of files, from the upload to what refineries make of them. */

interface Chunk {
  readonly text: string;
  readonly start_index: number;
  readonly end_index: number;
  readonly heading_path: readonly string[];
  readonly context: string;
  readonly parent_id: string;
  readonly places?: readonly {
    readonly page: number;
    readonly box: readonly [number, number, number, number];
  }[];
}

const TEST = join(import.meta.dirname, '../../..');
const LAW = readFileSync(join(TEST, 'eval/data/headings/vereinsg.txt'), 'utf8');
const ALL = needs('reader/pdf', 'reader/docx', 'refinery/context', 'refinery/parents');
const NUMBERED = { numbered_headings: true, chunk_size: 300, min_chunk_size: 1 };
const STEPS = [
  { type: 'chunk', chunker: 'markdown', config: NUMBERED },
  { type: 'refine', refinery: 'context', config: { template: '{heading_path}' } },
  { type: 'refine', refinery: 'parents', config: { by: 'section', parent_size: 9000 } },
];

/** The paths of the sections of the law, by the marks that the files do not have. */
function pathsOf(law: string): string[] {
  let part = '';
  return [...law.matchAll(/^(##|###) (.*(?:Abschnitt|§).*)$/gm)].flatMap(([, mark, name = '']) => {
    if (mark === '##') part = name;
    return mark === '##' ? [] : [`${part} > ${name}`];
  });
}

/** Where the lines of a PDF are that begin with the sign of a section: page, and the part of it above their baseline. */
async function sectionLines(bytes: Uint8Array): Promise<Map<string, { page: number; baseline: number }>> {
  const pdfium = await loadPdfium();
  const start = pdfium._malloc(bytes.length + 16);
  pdfium.HEAPU8.set(bytes, start + 16);
  const file = pdfium._FPDF_LoadMemDocument(start + 16, bytes.length, 0);
  const lines = new Map<string, { page: number; baseline: number }>();
  for (let page = 1; page <= pdfium._FPDF_GetPageCount(file); page++) {
    const sheet = pdfium._FPDF_LoadPage(file, page - 1);
    const content = pdfium._FPDFText_LoadPage(sheet);
    const height = pdfium._FPDF_GetPageHeightF(sheet);
    const codes = Array.from({ length: pdfium._FPDFText_CountChars(content) }, (_, index) =>
      pdfium._FPDFText_GetUnicode(content, index),
    );
    for (const { 0: number, index } of String.fromCharCode(...codes).matchAll(/^§§? \d+a?(?= )/gm)) {
      pdfium._FPDFText_GetCharOrigin(content, index, start, start + 8);
      const y = pdfium.HEAPF64[(start + 8) / 8] ?? 0;
      if (!lines.has(number)) lines.set(number, { page, baseline: 1 - y / height });
    }
  }
  return lines;
}

type Called =
  | `_FPDF_${'InitLibrary' | 'LoadMemDocument' | 'GetPageCount' | 'LoadPage' | 'GetPageHeightF'}`
  | `_FPDFText_${'LoadPage' | 'CountChars' | 'GetUnicode' | 'GetCharOrigin'}`
  | '_malloc';

/** PDFium itself, as a witness of what the reader does with it. */
async function loadPdfium() {
  const { PDFiumModule } = await import('@hyzyla/pdfium');
  const wasm = readFileSync(fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm')));
  const loaded: unknown = await PDFiumModule({ wasmBinary: new Uint8Array(wasm).buffer });
  type Functions = Readonly<Record<Called, (...values: number[]) => number>>;
  const pdfium = loaded as Functions & { readonly HEAPU8: Uint8Array; readonly HEAPF64: Float64Array };
  pdfium._FPDF_InitLibrary();
  return pdfium;
}

const plugins = ['markdown', 'context', 'parents', 'pdf', 'docx', 'character'];

t.test('sections of files have their paths, contexts, parents and places', ALL, async (t) => {
  const client = await startServer(t, { databaseUrl: '', plugins });
  for (const name of ['vereinsg.pdf', 'vereinsg.docx'])
    await t.test(name, async (t) => {
      const bytes = readFileSync(join(TEST, 'fixtures/numbered', name));
      const { id } = (await client.post('/v1/pipelines', { name, steps: STEPS })).json<{ id: string }>();
      const fields = [['include', 'places']] as const;
      const answer = await postForm(client, `/v1/pipelines/${id}/execute/file`, { bytes, name }, fields);
      const chunks = answer.json<Chunk[]>();
      const pathOf = ({ heading_path }: Chunk) => heading_path.join(' > ');

      const inSections = chunks.filter(({ heading_path }) => heading_path.length === 2);
      t.same([...new Set(inSections.map(pathOf))], pathsOf(LAW));
      t.ok(inSections.every((chunk) => chunk.context === pathOf(chunk)));
      t.equal(new Set(inSections.map((chunk) => chunk.parent_id)).size, pathsOf(LAW).length);
      t.ok(chunks.every(({ start_index }, index) => start_index === (chunks[index - 1]?.end_index ?? 0)));
      t.ok(chunks.every(({ start_index, end_index, text }) => end_index - start_index === [...text].length));

      if (!name.endsWith('.pdf')) return;
      const lines = await sectionLines(bytes);
      t.ok(lines.size > 0.9 * pathsOf(LAW).length, `${lines.size}`);
      for (const { text, places } of inSections) {
        const line = lines.get(/^§§? \d+a?/.exec(text)?.[0] ?? '');
        if (line === undefined) continue;
        t.equal(places?.[0]?.page, line.page, text.slice(0, 20));
        const top = places?.[0]?.box[1] as number;
        t.ok(line.baseline - top > 0 && line.baseline - top < 0.02, `${top} ${line.baseline}`);
      }
    });
});
