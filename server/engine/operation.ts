import type { SinkCollection } from '../../core/contracts/sink.ts';
import type { PluginEntry, Registry } from '../../core/hosting/registry.ts';
import type { Limits } from './limits.ts';
import type { Presets } from './presets/presets.ts';
import type { Checks } from './read/request-checks.ts';
import type { RequestSchemas } from './read/request-schemas.ts';
import type { LeaseCache } from './stages/lease-cache.ts';
import type { StageTools } from './stages/stages.ts';
import type { Answer, AnyRequest, OnPart, Task, Unread } from './tasks.ts';
import type { Refusals } from './validation/refusals.ts';

export interface Rules {
  readonly registry: Registry;
  readonly schemas: RequestSchemas;
  readonly checks: Checks;
  readonly presets: Presets;
  readonly limits: Limits;
  /** The tokenizer for requests that name no tokenizer. */
  readonly defaultTokenizer: string;
}

export interface Run extends StageTools {
  readonly rules: Rules;
  readonly limits: Limits;
  readonly collections: LeaseCache<SinkCollection>;
  /** Set if the answer is requested in parts and the work supports parts. */
  readonly onPart: OnPart | undefined;
}

export interface Operation<T extends Task = Task, R extends AnyRequest = AnyRequest> {
  /**
   * The plugins that a task names before its body is read, with `undefined` for each missing plugin. Returns no
   * list if the work is never light enough for the event loop.
   */
  plugins(task: T, registry: Registry): readonly (PluginEntry | undefined)[] | undefined;
  /**
   * Reads and checks a request.
   *
   * @param bytes the body; must not change afterwards, because the request refers to it
   * @throws ServiceError `body_empty`, `body_not_utf8`, `body_not_json`, `invalid_parameters`, `unknown_plugin`,
   *   `missing_capability`
   */
  read(task: T, bytes: Uint8Array, rules: Rules): Unread<R>;
  /** Collects all problems of a request that `read` has refused. */
  collect?(task: T, bytes: Uint8Array, rules: Rules, refusals: Refusals): void;
  run(request: R, run: Run): Promise<Answer>;
  label(task: T): string;
}
