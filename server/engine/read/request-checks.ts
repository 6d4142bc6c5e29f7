import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import type { PipelineStep } from '../../../core/contracts/pipeline.ts';
import { invalid } from '../../../core/errors.ts';
import type { Registry } from '../../../core/hosting/registry.ts';
import { checkOption, type Limits } from '../limits.ts';
import type { StageRequest } from '../stages/stages.ts';
import { createValidator, type Validate } from '../validation/validator.ts';
import type { Source } from './document-schemas.ts';
import { missingPlugin, pluginOf } from './pipeline.ts';
import type { RequestSchemas } from './request-schemas.ts';

export type Members = Readonly<Record<string, unknown>>;

export type Checks = ReturnType<typeof createChecks>;

/** Checks requests against the schemas of the plugins that they name, and fills in defaults. */
export function createChecks(registry: Registry, schemas: RequestSchemas, limits: Limits) {
  const validators = new Map<string, Validate>();

  function check(key: string, create: () => Validate, value: unknown, place = ''): Members {
    const validate = validators.get(key) ?? create();
    validators.set(key, validate);
    return validate(value, place);
  }

  return {
    chunk(name: string, request: unknown, source: Source = sourceOf(request)): Members {
      const { manifest } = registry.require('chunker', name);
      const create = () => limited(schemas.step(manifest), limits, schemas.chunk(manifest, source));
      return check(`chunk ${source} ${name}`, create, request);
    },

    refine(name: string, request: unknown): Members {
      const { manifest } = registry.require('refinery', name);
      const documents = isListOfLists((request as Members | null)?.chunks) ? 'many' : 'one';
      const create = () => limited(schemas.step(manifest), limits, schemas.refine(manifest, documents));
      return check(`refine ${documents} ${name}`, create, request);
    },

    /** The options of a refinery, which are in the first line of a stream. */
    refineOptions(name: string, request: unknown): Members {
      const { manifest } = registry.require('refinery', name);
      return check(`refinery ${name}`, () => limited(schemas.step(manifest), limits), request);
    },

    execute(request: unknown, preset: string | undefined, source: Source = sourceOf(request)): Members {
      const create = () => createValidator(schemas.execute(source, preset));
      return check(`execute ${source} ${preset ?? ''}`, create, request);
    },

    embed: createValidator(schemas.embed),
    evaluate: createValidator(schemas.evaluate),
    tokenize: createValidator(schemas.tokenize),

    /**
     * @param place where the step is, for the message: `steps[1]`
     * @param options where its options are
     */
    step(step: PipelineStep, place: string, options = `${place}.config.`): StageRequest {
      const plugin = pluginOf(registry, step);
      const { kind, name, entry } = plugin;
      if (entry === undefined) throw invalid(missingPlugin(registry, plugin, place));
      const create = () => limited(schemas.step(entry.manifest), limits);
      const config = structuredClone(step.config);
      return { kind, name, options: check(`${kind} ${name}`, create, config, options) };
    },
  };
}

/**
 * A validator that first reports which limit of the server an option exceeds, because that can be raised.
 *
 * @param schema of the options alone, or of a whole request
 */
function limited(options: ObjectSchema, limits: Limits, schema = options): Validate {
  const names = Object.keys(options.properties);
  const validate = createValidator(schema);
  return (value, place = '') => {
    const given = (value ?? {}) as Members;
    for (const name of names) checkOption(given[name], `${place}${name}`, limits);
    return validate(value, place);
  };
}

/** The inputs of a request: `text`, unless it gives `documents`. */
function sourceOf(request: unknown): Source {
  return (request as Members | null)?.documents === undefined ? 'text' : 'documents';
}

/** Whether the chunks are those of many documents, as a list of lists. */
export function isListOfLists(chunks: unknown): boolean {
  return Array.isArray(chunks) && Array.isArray(chunks[0]);
}
