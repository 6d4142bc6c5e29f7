import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exposedError, refusedError, type Sink, type SinkChunk, type SinkCollection } from 'chunksmith/kit';
import { batchChunks, parseExactJson } from 'chunksmith/toolkit';

type Stored = Omit<SinkChunk, 'embedding'> & { readonly embedding: readonly number[] | null };

const LIMITS = { chunks: 1000, bytes: 1e7 };

// Called once per thread, at first use. Import packages here, and list them in `needs.packages`.
export default function createSink(): Sink {
  const files = createFiles();
  return {
    // Creates the collection if it is missing. Vectors of another length would corrupt it.
    async open({ options, dimensions }, { signal }) {
      signal.throwIfAborted();
      const folder = String(options.folder);
      await files.makeFolder(folder);
      const settings = join(folder, 'settings.json');
      const wanted = JSON.stringify({ dimensions });
      const known = (await files.read(settings)) ?? wanted;
      // A retry would fail in the same way: it is the caller's mistake.
      if (known !== wanted) throw refusedError('The existing files have vectors of another length.');
      await files.write(settings, wanted);
      return createCollection(folder, dimensions);
    },
    // For documents without text: the length of vectors is unknown, and no collection is created.
    async removeDocuments(documents, { folder }, { signal }) {
      signal.throwIfAborted();
      await files.check(join(String(folder), '..'));
      for (const document of documents) await files.remove(fileOf(String(folder), document));
    },
  };
}

function fileOf(folder: string, document: string) {
  return join(folder, `${createHash('sha256').update(document).digest('hex')}.json`);
}

// Any of these calls may be repeated: a job that was stopped starts its last part again.
function createCollection(folder: string, dimensions: number | undefined): SinkCollection {
  const files = createFiles();
  // JSON.parse would change numbers such as 1e400.
  const parse = (text: string) => parseExactJson(text) as Stored[];
  // The methods are called concurrently, but never for the same document, so each file has one writer.
  const change = async (document: string, edit: (stored: Stored[]) => Stored[]) => {
    const file = fileOf(folder, document);
    await files.check(join(folder, 'settings.json'));
    const left = edit(parse((await files.read(file)) ?? '[]'));
    await (left.length > 0 ? files.write(file, JSON.stringify(left)) : files.remove(file));
  };
  return {
    async upsert(chunks, { signal }) {
      // Also checks vectors and texts; a database would get one call per batch.
      const checked = batchChunks(chunks, { ...LIMITS, dimensions }).flat();
      for (const [document, group] of Map.groupBy(checked, ({ document_id }) => document_id)) {
        signal.throwIfAborted();
        const lists = group.map((chunk) => ({ ...chunk, embedding: listOf(chunk.embedding) }));
        const byId = (stored: Stored[]) => new Map([...stored, ...lists].map((chunk) => [chunk.id, chunk]));
        await change(document, (stored) => [...byId(stored).values()]);
      }
    },
    async deleteMissing(document, keptIds, { signal }) {
      signal.throwIfAborted();
      const kept = new Set(keptIds);
      await change(document, (stored) => stored.filter(({ id }) => kept.has(id)));
    },
    async close() {},
  };
}

// JSON has no 32-bit floats. For a database that takes JSON, vectorJson writes half as many digits.
const listOf = (vector: Float32Array | null) => vector && Array.from(vector);

function createFiles() {
  // An exposed message is shown to the caller, so it must contain no path and no key; everything else goes to the
  // log.
  const expose = (error: unknown): never => {
    throw exposedError(`The files cannot be used: ${codeOf(error)}`, error);
  };
  const unless = (code: string) => (error: unknown) => (codeOf(error) === code ? undefined : expose(error));
  return {
    makeFolder: (folder: string) => mkdir(folder).catch(unless('EEXIST')),
    check: (path: string) => stat(path).catch(expose),
    read: (file: string) => readFile(file, 'utf8').catch(unless('ENOENT')),
    write: (file: string, text: string) => writeFile(file, text).catch(expose),
    remove: (file: string) => rm(file, { force: true }).catch(expose),
  };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : 'an unknown error';
}
