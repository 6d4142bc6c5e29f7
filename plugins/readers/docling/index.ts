import { randomUUID } from 'node:crypto';
import type { HostedApi, HostedFailure } from '../../../core/contracts/collaborators.ts';
import type { Factory } from '../../../core/contracts/plugin.ts';
import type { SourceFile } from '../../../core/contracts/reader.ts';
import { readAnswer } from './answer.ts';
import { extensionOf, isPaged, mediaTypeOf } from './formats.ts';
import type manifest from './manifest.ts';
import { cutPages, titleOf } from './pages.ts';

/** Milliseconds for one file. Node's own client gives up after five minutes without an answer. */
const PATIENCE = 290_000;
/** Only what says that it is busy is asked again: a file that takes too long would take as long the next time. */
const BUSY = [429, 503];
/** What docling-serve answers with 404 if a conversion has failed. */
const NO_RESULT = /task result not found/i;

const createDoclingReader: Factory<typeof manifest> = ({ env, hosted, kit }) => {
  const api: HostedApi = {
    title: 'Docling',
    url: `${hosted.baseUrl(env.DOCLING_URL, '', 'DOCLING_URL')}/v1/convert/file`,
    urlVariable: 'DOCLING_URL',
    keyVariable: 'DOCLING_API_KEY',
    key: env.DOCLING_API_KEY ?? '',
    keyHeader: 'x-api-key',
  };
  const refusal = (reason: string): Error => kit.refusedError(`The file cannot be read: ${reason}`);
  const errorOf = ({ failure, status = 0, message }: HostedFailure): Error => {
    const isOfFile = failure === 'refused' ? status > 0 : status === 404 && NO_RESULT.test(message);
    return isOfFile ? refusal(message) : kit.exposedError(message);
  };
  return {
    async read(file, { signal }) {
      signal.throwIfAborted();
      if (file.bytes.length === 0) throw refusal('it is empty');
      const mark = `<!-- page ${randomUUID()} -->`;
      const extension = extensionOf(file);
      const limits = { patience: PATIENCE, timeout: PATIENCE, retried: BUSY };
      const call = { body: formOf(file, extension, mark), read: readAnswer, expected: 'a document', signal };
      const outcome = await hosted.ask(api, { ...call, ...limits });
      if ('failure' in outcome) throw errorOf(outcome);
      if ('problem' in outcome.value) throw refusal(`Docling says: ${outcome.value.problem}`);
      const { text, pages } = cutPages(outcome.value.markdown, mark);
      const hasPages = pages.length > 1 || isPaged(extension);
      return { text, mediaType: 'text/markdown', title: titleOf(text), ...(hasPages && { pages }) };
    },
  };
};

export default createDoclingReader;

/** Nothing in it is of the request but the bytes, and what they are: its own name of a file is not sent. */
function formOf({ bytes }: SourceFile, extension: string, mark: string): FormData {
  const form = new FormData();
  const blob = new Blob([Uint8Array.from(bytes)], { type: mediaTypeOf(extension) });
  form.append('files', blob, `document${extension}`);
  form.append('to_formats', 'md');
  form.append('image_export_mode', 'placeholder');
  form.append('md_page_break_placeholder', mark);
  form.append('target_type', 'inbody');
  return form;
}
