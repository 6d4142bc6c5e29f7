import { isUtf8 } from 'node:buffer';
import { chunkText } from '../core/chunking.ts';
import { asPluginError, type PluginHost } from '../core/container.ts';
import { reasonOf, ServiceError } from '../core/errors.ts';
import { type ChunkedText, type OffsetUnit, writeChunks } from '../core/json-chunks.ts';
import { findTextLiterals, toJsonText } from '../core/json-text.ts';
import { ownerOf } from '../core/models.ts';
import { chunkRequest } from '../core/options.ts';
import type { Registry } from '../core/registry.ts';
import type { Task } from './run/task.ts';
import type { OpenTokenizer } from './tokenizers.ts';
import { createValidator, type Validate } from './validation.ts';

/** What the service does, on bytes; it knows nothing of HTTP. All of it throws `ServiceError`. */
export interface Service {
  /** Runs a chunker on a JSON request and answers with JSON. */
  chunk(name: string, body: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
  /** Whether a task may run on the event loop: nothing that it uses is heavy. */
  isLight(task: Task, body: Uint8Array): boolean;
}

export interface ServiceParts {
  readonly registry: Registry;
  readonly host: PluginHost;
  readonly openTokenizer: OpenTokenizer;
  /** Most bytes of an answer. */
  readonly maxAnswerBytes: number;
}

const EXAMPLE = '{"text": "…"}';

export function createService({ registry, host, openTokenizer, maxAnswerBytes }: ServiceParts): Service {
  const validators = new Map<string, Validate>();

  return { chunk, isLight };

  async function chunk(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    const entry = registry.require('chunker', name);
    const body = jsonBytes(bytes);
    const {
      text,
      offset_unit,
      tokenizer: tokenizerName = 'character',
      ...options
    } = validatorOf(name)(parseJson(body));
    const tokenizer = await openTokenizer(tokenizerName as string);
    const ready = { manifest: entry.manifest, chunker: await host.get('chunker', name) };
    const texts = (Array.isArray(text) ? text : [text]) as string[];
    const literals = findTextLiterals(body, 'text') ?? texts.map(toJsonText);
    const documents: ChunkedText[] = [];
    try {
      for (const [index, document] of texts.entries()) {
        const spans = await chunkText(ready, document, options, tokenizer, signal);
        documents.push({ json: literals[index] as Uint8Array, spans });
      }
    } catch (error) {
      throw asPluginError(entry, error);
    }
    return writeChunks(documents, offset_unit as OffsetUnit, Array.isArray(text), maxAnswerBytes);
  }

  function isLight({ name }: Task, bytes: Uint8Array): boolean {
    const entry = registry.find('chunker', name);
    if (entry === undefined || entry.missing.length > 0 || entry.manifest.heavy === true) return false;
    const { tokenizer = 'character' } = validatorOf(name)(parseJson(jsonBytes(bytes)));
    return ownerOf(registry, 'tokenizer', tokenizer as string)?.manifest.heavy !== true;
  }

  function validatorOf(name: string): Validate {
    let validate = validators.get(name);
    if (validate === undefined) {
      validate = createValidator(chunkRequest(registry.require('chunker', name).manifest));
      validators.set(name, validate);
    }
    return validate;
  }
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** The bytes of a JSON text, without the byte order mark that some clients put before it. */
function jsonBytes(bytes: Uint8Array): Buffer {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return body.subarray(0, 3).equals(BYTE_ORDER_MARK) ? body.subarray(3) : body;
}

/**
 * @throws ServiceError `body_empty`, `body_not_utf8`, `body_not_json`
 */
function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw new ServiceError('body_empty', { example: EXAMPLE });
  if (!isUtf8(body)) throw new ServiceError('body_not_utf8');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new ServiceError('body_not_json', { reason: reasonOf(error) });
  }
}
