import { type MessagePort, parentPort } from 'node:worker_threads';
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { reasonOf } from '../../../core/errors.ts';
import { vectorOfBase64 } from '../../../plugins/toolkit/json/ascii-numbers.ts';
import { parseExactJson } from '../../../plugins/toolkit/json/exact-json.ts';
import { BEGUN } from '../../engine/run/guarded-thread.ts';

export type ParquetTask = { readonly lines: Uint8Array<ArrayBuffer> } | 'finish';

export type ParquetBytes = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly problem: string };

const port = parentPort as MessagePort;
let file: { readonly bytes: ByteWriter; readonly parquet: ParquetWriter } | undefined;

port.on('message', (task: ParquetTask) => {
  port.postMessage(BEGUN);
  try {
    const bytes = bytesOf(task);
    port.postMessage({ bytes }, [bytes.buffer]);
  } catch (error) {
    port.postMessage({ problem: reasonOf(error) });
  }
});

function bytesOf(task: ParquetTask): Uint8Array<ArrayBuffer> {
  file ??= begin();
  const { bytes, parquet } = file;
  if (task === 'finish') {
    parquet.finish();
    file = undefined;
  } else {
    const columnData = columnsOf(task.lines);
    parquet.write({ columnData, rowGroupSize: Math.max(columnData[0]?.data.length ?? 0, 1) });
  }
  const written = new Uint8Array(bytes.getBuffer());
  bytes.index = 0;
  return written;
}

function begin() {
  const bytes = new ByteWriter();
  return { bytes, parquet: new ParquetWriter({ writer: bytes, schema: SCHEMA, createdBy: 'chunksmith' }) };
}

const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const;
const integer = { type: 'INT32', repetition_type: 'OPTIONAL' } as const;

/**
 * The columns of every part file. They do not depend on the steps, so that files of several jobs form one
 * table. The column `fields` contains the other fields of a chunk as JSON.
 */
const COLUMNS = {
  id: text,
  document_id: text,
  text,
  start_index: integer,
  end_index: integer,
  token_count: integer,
  metadata: text,
  embedding: { converted_type: 'LIST', repetition_type: 'OPTIONAL', num_children: 1 },
  fields: text,
} as const;

type Name = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as Name[];

const ELEMENTS: readonly SchemaElement[] = [
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  { name: 'element', type: 'FLOAT', repetition_type: 'REQUIRED' },
];

const SCHEMA: SchemaElement[] = [
  { name: 'root', num_children: NAMES.length },
  ...NAMES.flatMap((name) => [{ name, ...COLUMNS[name] }, ...(name === 'embedding' ? ELEMENTS : [])]),
];

/** For vectors: their numbers rarely repeat, are not searched by range, and hardly compress. */
const AS_THEY_ARE = { encoding: 'PLAIN', statistics: false, codec: 'UNCOMPRESSED' } as const;

interface Column extends Partial<typeof AS_THEY_ARE> {
  readonly name: Name;
  readonly data: unknown[];
}

function columnsOf(lines: Uint8Array): Column[] {
  const columns = NAMES.map((name): Column => ({ name, data: [], ...(name === 'embedding' && AS_THEY_ARE) }));
  const texts = Buffer.from(lines.buffer, lines.byteOffset, lines.length).toString().split('\n');
  for (const line of texts.filter((one) => one !== '')) {
    const row = rowOf(parseExactJson(line) as Readonly<Record<string, unknown>>);
    for (const { name, data } of columns) data.push(row[name]);
  }
  return columns;
}

function rowOf(chunk: Readonly<Record<string, unknown>>): Readonly<Record<Name, unknown>> {
  const {
    id = null,
    document_id = null,
    text: own = null,
    start_index = null,
    end_index = null,
    token_count = null,
    metadata = null,
    embedding = null,
    ...fields
  } = chunk;
  return {
    id,
    document_id,
    text: own,
    start_index,
    end_index,
    token_count,
    metadata: metadata === null ? null : JSON.stringify(metadata),
    embedding: typeof embedding === 'string' ? Array.from(vectorOfBase64(embedding)) : embedding,
    fields: JSON.stringify(fields),
  };
}
