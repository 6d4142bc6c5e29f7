import { callPlugin } from '../../core/hosting/plugin-error.ts';
import type { Answer } from './answer.ts';
import { documentOfFile } from './file-document.ts';
import { type FileRequest, readForm } from './file-request.ts';
import type { Limits } from './limits.ts';
import { readerOf } from './readers.ts';
import type { Requests } from './requests.ts';
import { ResponseMetadata } from './response-metadata.ts';
import { runRequest } from './run-request.ts';
import type { StageTools } from './stages.ts';

/** What a request with a file is run with. */
export interface FileTools {
  readonly tools: StageTools;
  readonly limits: Limits;
  readonly readFilePlan: Requests['readFilePlan'];
}

/**
 * Runs a request with a file: has the file read, and its text chunked as any other document.
 *
 * @throws ServiceError
 */
export async function runFile(
  request: FileRequest,
  signal: AbortSignal,
  { tools, limits, readFilePlan }: FileTools,
): Promise<Answer> {
  const begin = performance.now();
  const form = await readForm(request);
  const plan = readFilePlan(request.task.of, form.fields);
  const reader = readerOf(form.file, form.reader, tools.registry);
  const parseSeconds = secondsSince(begin);
  const metadata = new ResponseMetadata();
  metadata.nextDocument();
  const started = performance.now();
  const read = await callPlugin(reader, async () => {
    const plugin = await tools.host.get('reader', reader.manifest.name);
    return plugin.read(form.file, { report: metadata.report, signal });
  });
  const time = { stage: 'read', by: reader.manifest.name, seconds: secondsSince(started) } as const;
  if (read.encoding !== undefined) metadata.report('source-encoding', read.encoding);
  const input = documentOfFile(reader, form, read, limits);
  const stages = { ...plan, inputs: [input], isBatch: false, parseSeconds };
  const answer = await runRequest(stages, signal, tools, limits.maxAnswerBytes);
  const { timings } = answer;
  return {
    ...answer,
    reported: [{ ...metadata.reported()[0], ...answer.reported[0] }],
    timings: { ...timings, times: [...timings.times, time] },
  };
}

function secondsSince(begin: number): number {
  return (performance.now() - begin) / 1000;
}
