import type { Report } from '../../core/contracts/chunk.ts';
import type {
  HostedApi,
  HostedCall,
  HostedFailure,
  HostedModels,
} from '../../core/contracts/collaborators.ts';
import type { Reader, ReadFile, SourceFile } from '../../core/contracts/reader.ts';
import { exposedError, refusedError } from '../../core/errors.ts';

/** Milliseconds for one file. Node's own client gives up after five minutes without an answer. */
const DEADLINE = 290_000;
/** Only a busy service is asked again: a file that takes too long would take as long the next time. */
const RETRIED = [429, 503];
/** Characters of a service's own errors that are shown. */
const MAX_PROBLEM_LENGTH = 300;

/** A service that converts files to Markdown, one in each call. */
export interface FileService {
  readonly api: HostedApi;
  /** The media type of each extension that the service reads. */
  readonly formats: Readonly<Record<string, string>>;
  /**
   * The call for a file. The file's own name stays private.
   *
   * @param extension identifies the file's format: `.pdf`; empty if it is unknown
   */
  request(file: SourceFile, extension: string): Pick<HostedCall<unknown>, 'method' | 'body' | 'headers'>;
  /** What an answer should contain, for errors: `a document`. */
  readonly expected: string;
  /**
   * Reads the Markdown of an answer, or why the service could not read the file.
   *
   * @throws Error if the answer is of another kind
   */
  read(answer: unknown, report: Report): ReadFile | { readonly problem: string };
  /** Whether a failed call is the fault of the file, and so of the caller. */
  isFaultOfFile(failure: HostedFailure): boolean;
}

export function createServiceReader(hosted: HostedModels, service: FileService): Reader {
  const { api, formats, expected } = service;
  return {
    async read(file, { report, signal }) {
      signal.throwIfAborted();
      if (file.bytes.length === 0) throw refusal('it is empty');
      const outcome = await hosted.ask(api, {
        ...service.request(file, extensionOf(file, formats)),
        read: (answer) => service.read(answer, report),
        expected,
        deadline: DEADLINE,
        timeout: DEADLINE,
        retried: RETRIED,
        signal,
      });
      if ('failure' in outcome)
        throw service.isFaultOfFile(outcome) ? refusal(outcome.message) : exposedError(outcome.message);
      const { value } = outcome;
      if ('problem' in value)
        throw refusal(`${api.title} says: ${value.problem.slice(0, MAX_PROBLEM_LENGTH)}`);
      return { ...value, mediaType: 'text/markdown' };
    },
  };
}

const refusal = (reason: string): Error => refusedError(`The file cannot be read: ${reason}`);

/** The extension that identifies a file's format: from its name, else from its media type. */
function extensionOf({ name = '', mediaType }: SourceFile, formats: FileService['formats']): string {
  const lower = name.toLowerCase();
  const extensions = Object.keys(formats);
  const named = extensions.find((extension) => lower.endsWith(extension));
  return named ?? extensions.find((extension) => formats[extension] === mediaType) ?? '';
}
