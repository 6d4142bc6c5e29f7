import type { Report } from '../../core/contracts/chunk.ts';
import type {
  HostedApi,
  HostedCall,
  HostedFailure,
  HostedModels,
} from '../../core/contracts/collaborators.ts';
import type { Reader, ReadFile, SourceFile } from '../../core/contracts/reader.ts';
import { exposedError, refusedError } from '../../core/errors.ts';

/** Milliseconds for one file: less than the five minutes after which Node's HTTP client gives up. */
const DEADLINE = 290_000;
/** Only a busy service is retried. After a timeout, a retry would probably take as long. */
const RETRIED = [429, 503];
/** Maximum characters of a service's error message that callers see. */
const MAX_PROBLEM_LENGTH = 300;

/** A service that converts files to Markdown, one file per call. */
export interface FileService {
  readonly api: HostedApi;
  /** The media type of each extension that the service reads. */
  readonly formats: Readonly<Record<string, string>>;
  /**
   * Creates the call for a file. The call does not contain the file's own name.
   *
   * @param extension identifies the file's format: `.pdf`; empty if the format is unknown
   */
  request(file: SourceFile, extension: string): Pick<HostedCall<unknown>, 'method' | 'body' | 'headers'>;
  /** What an answer should contain, for error messages: `a document`. */
  readonly expected: string;
  /**
   * Reads the Markdown in an answer, or the service's reason for not converting the file.
   *
   * @throws Error if the answer has neither
   */
  read(answer: unknown, report: Report): ReadFile | { readonly problem: string };
  /** Whether a call failed because of the file. If so, callers receive the error as their mistake. */
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

/** The extension that identifies a file's format: from the file name, otherwise from the media type. */
function extensionOf({ name = '', mediaType }: SourceFile, formats: FileService['formats']): string {
  const lower = name.toLowerCase();
  const extensions = Object.keys(formats);
  const named = extensions.find((extension) => lower.endsWith(extension));
  return named ?? extensions.find((extension) => formats[extension] === mediaType) ?? '';
}
