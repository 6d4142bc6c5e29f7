import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { type FileKind, KINDS } from './peers.ts';

export interface PublicFile {
  readonly name: string;
  readonly kind: FileKind;
  readonly bytes: Buffer;
}

/** Where files are kept once they are fetched: with the peers, which git ignores. */
const KEPT = join(import.meta.dirname, '../node_modules/.files');

interface Source {
  readonly repository: string;
  readonly commit: string;
  readonly folder: string;
  readonly files: readonly string[];
}

/** Files of public repositories, of several programs and sizes. */
const SOURCES: readonly Source[] = [
  {
    ...{ repository: 'apache/poi', commit: 'a528d43590b3f71aa94310de881a35af887fdd0f', folder: 'test-data' },
    files: [
      ...['document/issue_51265_1.docx', 'integration/stress010.docx', 'document/bug59058.docx'],
      ...['slideshow/60810.pptx', 'slideshow/2411-Performance_Up.pptx', 'slideshow/alterman_security.pptx'],
      ...[
        'slideshow/bug64693.pptx',
        'spreadsheet/46535.xlsx',
        'spreadsheet/ConditionalFormattingSamples.xlsx',
      ],
      ...['spreadsheet/StructuredRefs-lots-with-lookups.xlsx', 'spreadsheet/48962.xlsx'],
    ],
  },
  {
    ...{ repository: 'docling-project/docling.rs', commit: '5fd2ce560fefb4a9a4d5144be2ed0901dcfc7601' },
    folder: 'tests/data',
    files: [
      ...[
        'docx/sources/word_sample.docx',
        'docx/sources/textbox.docx',
        'pptx/sources/powerpoint_sample.pptx',
      ],
      ...['xlsx/sources/xlsx_01.xlsx', 'xlsx/sources/xlsx_04_inflated.xlsx', 'html/sources/wiki_duck.html'],
      ...['html/sources/kvp_data_example.html', 'epub/sources/epub_purvis_poetry.epub'],
      ...['pdf/sources/redp5110_sampled.pdf', 'pdf/sources/amt_handbook_sample.pdf'],
    ],
  },
  {
    ...{ repository: 'Unstructured-IO/unstructured', commit: '3e5482bfcdc843b5218ad98d2845b4b71ab013b7' },
    folder: 'example-docs',
    files: [
      ...['handbook-872p.docx', 'fake.docx', 'docx-tables.docx', 'sample-presentation.pptx'],
      ...['example-10k.html', 'example-with-scripts.html', 'winter-sports.epub', 'pdf/multi-column.pdf'],
      ...['pdf/reliance.pdf', 'pdf/layout-parser-paper-with-empty-pages.pdf'],
    ],
  },
  {
    ...{ repository: 'tabulapdf/tabula-java', commit: '2cdf3b4fd3f7e921dca8cc6814cdd9316be40f0f' },
    folder: 'src/test/resources/technology/tabula/icdar2013-dataset',
    files: [
      ...[
        'us/us-036.pdf',
        'us/us-001.pdf',
        'eu/eu-012.pdf',
        'eu/eu-017.pdf',
        'eu/eu-021.pdf',
        'eu/eu-026.pdf',
      ],
    ].map((file) => `competition-dataset-${file}`),
  },
  {
    ...{ repository: 'patronus-ai/financebench', commit: 'cc39aeb4afdf33909ee1412188bf89035950c2eb' },
    folder: 'pdfs',
    files: ['NIKE_2023_10K.pdf'],
  },
  {
    ...{ repository: 'tafia/calamine', commit: '263762c8e98ef25da8511d9c5ea1783493e3bf6d', folder: 'tests' },
    files: ['issue_174.xlsx', 'issue_530.xlsx', 'pivots.xlsx'],
  },
  {
    ...{ repository: 'SheetJS/test_files', commit: 'fb4bdf0158ba308c182f82663b61607bb79cd4b5', folder: '.' },
    files: ['formula_stress_test.xlsx', 'number_format_entities.xlsx'],
  },
  {
    ...{ repository: 'readium/readium-test-files', commit: '743a3c973168e67be791787fe1c2b917ea98e56d' },
    folder: '.',
    files: [
      'functional/smoke-tests/SmokeTest-EPUB2/SmokeTest-EPUB2.epub',
      'test-suite/build/epub30-test-0100.epub',
    ],
  },
];

/** The files of the folder `BENCH_FILES`, otherwise public ones, which are fetched once. */
export async function readFiles(): Promise<PublicFile[]> {
  const { BENCH_FILES: folder } = process.env;
  if (folder === undefined) await fetchFiles();
  const from = folder ?? KEPT;
  const names = (await readdir(from)).sort();
  const files = await Promise.all(
    names.map(async (name) => {
      const kind = extname(name).slice(1).toLowerCase();
      return isKind(kind) ? [{ name, kind, bytes: await readFile(join(from, name)) }] : [];
    }),
  );
  return files.flat();
}

const isKind = (ending: string): ending is FileKind => ending in KINDS;

async function fetchFiles(): Promise<void> {
  await mkdir(KEPT, { recursive: true });
  const kept = new Set(await readdir(KEPT));
  for (const { repository, commit, folder, files } of SOURCES)
    for (const file of files.filter((one) => !kept.has(basename(one)))) {
      const path = join(folder, file);
      const url = `https://raw.githubusercontent.com/${repository}/${commit}/${path}`;
      try {
        const answer = await fetch(url);
        if (!answer.ok) throw new Error(`status ${answer.status}`);
        await writeFile(join(KEPT, basename(file)), Buffer.from(await answer.arrayBuffer()));
      } catch (error) {
        console.log(`Left out: ${repository} ${path} cannot be fetched: ${error}`);
      }
    }
}
