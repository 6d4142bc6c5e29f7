import type { HostedApi, HostedFailure } from '../../../core/contracts/collaborators.ts';
import type { Factory } from '../../../core/contracts/plugin.ts';
import type { SourceFile } from '../../../core/contracts/reader.ts';
import { readAnswer } from './answer.ts';
import { extensionOf } from './formats.ts';
import type manifest from './manifest.ts';

/** Milliseconds for one file. Node's own client gives up after five minutes without an answer. */
const PATIENCE = 290_000;
/** Only what says that it is busy is asked again: a file that takes too long would take as long the next time. */
const BUSY = [429, 503];
/** What Tika answers if it has no parser for a file. */
const NO_PARSER = 415;
const STATUSES_OF_FILES = new Set([400, 413, NO_PARSER, 422]);

const createTikaReader: Factory<typeof manifest> = ({ env, hosted, kit }) => {
  const api: HostedApi = {
    title: 'Tika',
    url: `${hosted.baseUrl(env.TIKA_URL, '', 'TIKA_URL')}/rmeta/xml`,
    method: 'PUT',
    urlVariable: 'TIKA_URL',
    keyVariable: 'TIKA_URL',
    key: '',
  };
  const refusal = (reason: string): Error => kit.refusedError(`The file cannot be read: ${reason}`);
  const errorOf = ({ failure, status, message }: HostedFailure): Error => {
    const isOfFile = failure === 'refused' && status !== undefined && STATUSES_OF_FILES.has(status);
    return isOfFile ? refusal(message) : kit.exposedError(message);
  };
  return {
    async read(file, { report, signal }) {
      signal.throwIfAborted();
      if (file.bytes.length === 0) throw refusal('it is empty');
      const headers = headersOf(file);
      const limits = { patience: PATIENCE, timeout: PATIENCE, retried: BUSY };
      const call = { body: file.bytes, headers, read: readAnswer, expected: 'the text of a file', signal };
      const outcome = await hosted.ask(api, { ...call, ...limits });
      if ('failure' in outcome) throw errorOf(outcome);
      if ('problem' in outcome.value) throw refusal(`Tika says: ${outcome.value.problem}`);
      const { text, pages, title, metadata, unread } = outcome.value;
      if (unread > 0) report('unread-attachments', String(unread));
      return { text, mediaType: 'text/markdown', title, metadata, ...(pages.length > 0 && { pages }) };
    },
  };
};

export default createTikaReader;

/** Tika finds out what a file is, with the ending of a name as a hint: a media type would keep it from looking. */
const headersOf = (file: SourceFile): Record<string, string> => ({
  accept: 'application/json',
  'content-type': 'application/octet-stream',
  'content-disposition': `attachment; filename="document${extensionOf(file)}"`,
});
