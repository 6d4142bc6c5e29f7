import { type MessagePort, parentPort } from 'node:worker_threads';
import { type FileMetaData, parquetMetadata, parquetSchema } from 'hyparquet';
import { reasonOf } from '../../../../core/errors.ts';
import { type RowLines, type RowsTask, rowLines } from './row-lines.ts';
import { PARSERS } from './values.ts';

/** The metadata of a file. */
export interface ParquetFile {
  readonly metadata: FileMetaData;
  /** Names of the columns of its rows; each once. */
  readonly names: readonly string[];
}

/** The metadata of a file, rows of a row group, or the next of these. */
export type ParquetQuestion = { readonly open: Uint8Array<ArrayBuffer> } | RowsTask | 'more';

export type ParquetAnswer =
  | ParquetFile
  | { readonly lines: RowLines }
  | { readonly done: true }
  | { readonly problem: string };

const port = parentPort as MessagePort;
let lines: AsyncGenerator<RowLines> | undefined;

/** Entry of a thread that reads Parquet. */
port.on('message', async (question: ParquetQuestion) => {
  const answer = await answerTo(question).catch((error: unknown) => ({ problem: reasonOf(error) }));
  port.postMessage(answer, 'lines' in answer ? [answer.lines.bytes.buffer] : []);
});

async function answerTo(question: ParquetQuestion): Promise<ParquetAnswer> {
  if (question !== 'more' && 'open' in question) {
    const metadata = parquetMetadata(question.open.buffer, { parsers: PARSERS, geoparquet: false });
    return { metadata, names: parquetSchema(metadata).children.map(({ element }) => element.name) };
  }
  if (question !== 'more') lines = rowLines(question);
  const next = await lines?.next();
  return next === undefined || next.done ? { done: true } : { lines: next.value };
}
