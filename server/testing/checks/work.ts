import { growthRequests, SHAPES } from '../cases/growth-shapes.ts';
import { unlessRefused } from '../ledger.ts';
import type { Workbench } from '../workbench.ts';
import type { Subject } from './subject.ts';

/** Work whose growth is measured. */
export interface Work {
  /** The shape of the text, and the options. */
  readonly what: string;
  /** Makes what is worked on, of about a length in characters, and gives the work. */
  prepare(length: number): Promise<() => unknown>;
}

const { signal } = new AbortController();

/** What a plugin of each kind is given of growing length. A sink has none: what it stores in decides. */
export async function workOf(subject: Subject): Promise<readonly Work[]> {
  const { entry, bench } = subject;
  const { kind, name } = entry.manifest;
  switch (kind) {
    case 'chunker':
      return chunkerWork(subject);
    case 'refinery':
      return refineryWork(subject);
    case 'reader':
      return readerWork(subject);
    case 'tokenizer':
      return tokenizerWork(bench, name);
    case 'embedding':
      return embeddingWork(bench, name);
    default:
      return [];
  }
}

function chunkerWork({ entry: { manifest }, bench }: Subject): Work[] {
  return Object.entries(SHAPES).flatMap(([shape, make]) =>
    growthRequests(manifest.options?.properties).map((options) => ({
      what: `${shape} ${JSON.stringify(options)}`,
      async prepare(length) {
        const request = { text: make(length), ...options };
        return () => unlessRefused(bench.chunk(manifest.name, request));
      },
    })),
  );
}

/** Many short chunks, and one that is long, of each shape. */
function refineryWork({ entry: { manifest }, bench }: Subject): Work[] {
  const workOn = (what: string, piecesOf: (length: number) => readonly string[]): Work => ({
    what,
    async prepare(length) {
      const chunks = chunksOf(piecesOf(length));
      return () => bench.request(manifest, { chunks });
    },
  });
  const many = workOn('chunks of four characters', (length) => Array(Math.ceil(length / 4)).fill('Tea.'));
  const single = Object.entries(SHAPES).map(([shape, make]) =>
    workOn(`one chunk, ${shape}`, (length) => [make(length)]),
  );
  return [many, ...single];
}

function chunksOf(texts: readonly string[]): object[] {
  let end_index = 0;
  return texts.map((text) => {
    const start_index = end_index;
    end_index += text.length;
    return { text, start_index, end_index, token_count: text.length };
  });
}

function readerWork({ entry: { manifest }, bench }: Subject): Work[] {
  const { extensions = [], mediaTypes = [] } = manifest.formats ?? {};
  const [extension] = extensions;
  const kind = { name: extension === undefined ? undefined : `file${extension}`, mediaType: mediaTypes[0] };
  return Object.entries(SHAPES).map(([shape, make]) => ({
    what: shape,
    async prepare(length) {
      const bytes = new TextEncoder().encode(make(length));
      return async () => {
        // What it refuses has cost work too.
        await bench.read(manifest, { bytes, charset: undefined, ...kind }, signal).catch(() => undefined);
      };
    },
  }));
}

async function tokenizerWork(bench: Workbench, plugin: string): Promise<Work[]> {
  const provider = await bench.make('tokenizer', plugin);
  return (await provider.names()).flatMap((name) =>
    Object.entries(SHAPES).map(([shape, make]) => ({
      what: `${name}, ${shape}`,
      async prepare(length) {
        const text = make(length);
        const tokenizer = await provider.open(name);
        return () => {
          const tokens = tokenizer?.tokenize(text);
          tokens?.ends();
          tokens?.count(0, text.length);
        };
      },
    })),
  );
}

async function embeddingWork(bench: Workbench, plugin: string): Promise<Work[]> {
  const provider = await bench.make('embedding', plugin);
  const request = { purpose: 'document', signal } as const;
  return (await provider.list()).flatMap(({ name }) =>
    Object.entries(SHAPES).map(([shape, make]) => ({
      what: `${name}, ${shape}`,
      async prepare(length) {
        const model = await provider.open(name, signal);
        const text = make(length);
        return () => model?.embed([text], request);
      },
    })),
  );
}
