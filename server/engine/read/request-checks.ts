import type { Manifest, ObjectSchema } from '../../../core/contracts/manifest.ts';
import type { PipelineStep } from '../../../core/contracts/pipeline.ts';
import { invalid } from '../../../core/errors.ts';
import type { Registry } from '../../../core/hosting/registry.ts';
import { optionOverLimit } from '../limits.ts';
import type { StageRequest } from '../stages/stages.ts';
import { type NamedOptions, problemsIn, Refusals, withNamed } from '../validation/refusals.ts';
import { createValidator, type Validate } from '../validation/validator.ts';
import type { Source } from './document-schemas.ts';
import { missingPlugin, pluginOf } from './pipeline.ts';
import type { RequestSchemas } from './request-schemas.ts';

export type Members = Readonly<Record<string, unknown>>;

export type Checks = ReturnType<typeof createChecks>;

/** What the options belong to: a plugin, or a request without a plugin. */
type Subject = Pick<Manifest, 'name'> & { readonly kind: Manifest['kind'] | undefined };
const TEXTS: Subject = { kind: undefined, name: '' };

/** Checks requests against the schemas of the plugins that they name, and fills in defaults. */
export function createChecks(registry: Registry, schemas: RequestSchemas) {
  const validators = new Map<string, Validate>();

  /** Checks a value by the validator of a key. A refusal also carries the valid options, to look up their names. */
  function check(
    subject: Subject | undefined,
    key: string,
    create: () => Validate,
    value: unknown,
    place = '',
  ): Members {
    const validate = validators.get(key) ?? create();
    validators.set(key, validate);
    try {
      return validate(value, place);
    } catch (error) {
      if (subject === undefined) throw error;
      const { kind, name } = subject;
      const options = withoutInputs((value ?? {}) as Members);
      throw withNamed(error, { kind: kind as NamedOptions['kind'], name, place, options });
    }
  }

  return {
    chunk(name: string, request: unknown, source: Source = sourceOf(request)): Members {
      const { manifest } = registry.require('chunker', name);
      const create = () => limited(schemas.step(manifest), schemas.chunk(manifest, source));
      return check(manifest, `chunk ${source} ${name}`, create, request);
    },

    refine(name: string, request: unknown): Members {
      const { manifest } = registry.require('refinery', name);
      const documents = isListOfLists((request as Members | null)?.chunks) ? 'many' : 'one';
      const create = () => limited(schemas.step(manifest), schemas.refine(manifest, documents));
      return check(manifest, `refine ${documents} ${name}`, create, request);
    },

    /** Checks the options of a refinery in the first line of a stream. */
    refineOptions(name: string, request: unknown): Members {
      const { manifest } = registry.require('refinery', name);
      return check(manifest, `refinery ${name}`, () => limited(schemas.step(manifest)), request);
    },

    execute(request: unknown, preset: string | undefined, source: Source = sourceOf(request)): Members {
      const create = () => createValidator(schemas.execute(source, preset));
      return check(undefined, `execute ${source} ${preset ?? ''}`, create, request);
    },

    embed: (request: unknown): Members =>
      check(TEXTS, 'embed', () => createValidator(schemas.embed), request),
    evaluate: createValidator(schemas.evaluate),
    tokenize: (request: unknown): Members =>
      check(TEXTS, 'tokenize', () => createValidator(schemas.tokenize), request),

    /** @param place of the step in messages: `steps[1]` @param options place of its options in messages */
    step(step: PipelineStep, place: string, options = `${place}.config.`): StageRequest {
      const plugin = pluginOf(registry, step);
      const { kind, name, entry } = plugin;
      if (entry === undefined) throw invalid(missingPlugin(registry, plugin, place));
      const create = () => limited(schemas.step(entry.manifest));
      const config = structuredClone(step.config);
      return { kind, name, options: check(entry.manifest, `${kind} ${name}`, create, config, options) };
    },
  };
}

/**
 * Creates a validator. For a list with too many or too long entries, it reports the number of entries or
 * characters instead of the schema's problem with the list.
 *
 * @param schema of the whole value: the options (default), or a request that contains the options
 */
function limited(options: ObjectSchema, schema = options): Validate {
  const names = Object.keys(options.properties);
  const validate = createValidator(schema);
  return (value, place = '') => {
    const given = (value ?? {}) as Members;
    const over: string[] = [];
    for (const name of names) {
      const problem = optionOverLimit(given[name], `${place}${name}`);
      if (problem !== undefined) over.push(problem);
    }
    if (over.length === 0) return validate(value, place);
    const subjects = new Set(over.map(subjectOf));
    const others = problemsIn(() => validate(value, place)).filter(
      (problem) => !subjects.has(subjectOf(problem)),
    );
    throw invalid([...over, ...others]);
  };
}

/** The parameter that a problem is about: `delim[3]`. */
function subjectOf(problem: string): string {
  return problem.slice(0, problem.indexOf(':'));
}

/** The options of a request without its inputs, which may be large. */
export function withoutInputs({ text: _, documents: __, chunks: ___, ...options }: Members): Members {
  return options;
}

/** The member that holds a request's inputs: `documents` if it is present, otherwise `text`. */
function sourceOf(request: unknown): Source {
  return (request as Members | null)?.documents === undefined ? 'text' : 'documents';
}

/** Whether the chunks are a list of lists, one list per document. */
export function isListOfLists(chunks: unknown): boolean {
  return Array.isArray(chunks) && Array.isArray(chunks[0]);
}

/**
 * Checks all steps.
 *
 * @throws ServiceError `invalid_parameters` with the problems of all steps; another error if it comes first
 */
export function allStages(
  steps: readonly PipelineStep[],
  check: (step: PipelineStep, index: number) => StageRequest,
): StageRequest[] {
  const refusals = new Refusals();
  const stages = steps.map((step, index) => {
    const stage = refusals.collect(() => check(step, index));
    if (stage !== undefined) refusals.note({ ...stage, place: stage.place ?? `steps[${index}].config.` });
    return stage;
  });
  if (refusals.problems.length > 0) throw refusals.error();
  return stages as StageRequest[];
}
