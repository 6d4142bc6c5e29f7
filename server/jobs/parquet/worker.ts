import { type MessagePort, parentPort } from 'node:worker_threads';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { reasonOf } from '../../../core/errors.ts';
import { columnsOf, SCHEMA } from './rows.ts';

/** The lines of a row group of the file, or its end. */
export type ParquetTask = { readonly lines: Uint8Array<ArrayBuffer> } | 'finish';

/** What comes next in the file. */
export type ParquetBytes = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly problem: string };

const port = parentPort as MessagePort;
let file: { readonly bytes: ByteWriter; readonly parquet: ParquetWriter } | undefined;

/** Entry of a thread that writes one file of Parquet after the other. */
port.on('message', (task: ParquetTask) => {
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
