import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { ParsedDocument } from '../../engine/read/documents.ts';
import { createValidator, type Validate } from '../../engine/validation/validator.ts';
import type { JobSource, JobSpec } from '../../jobs/spec.ts';
import { collect, textProblems } from '../pipelines/requests.ts';
import { fieldsBody, jobBody, sourceBody, targetBody } from './request-schemas.ts';

/** The body of a request for a job, as it was parsed, once its shape is right. */
export interface JobMembers extends Readonly<Record<string, unknown>> {
  readonly source: JobSource & { readonly documents?: readonly ParsedDocument[] };
  readonly pipeline?: string;
  readonly steps?: readonly unknown[];
  readonly include: readonly string[];
  readonly namespace: string;
  readonly group: JobSpec['group'];
  readonly target?: Target;
  readonly prune?: boolean;
  readonly max_errors: number | null;
  readonly callback?: string;
}

interface Target {
  readonly path?: string;
  readonly format?: 'jsonl' | 'parquet';
  readonly sink?: { readonly name: string } & Readonly<Record<string, unknown>>;
}

/**
 * Makes the check of the types and names of all members. Those that may have long lists are checked by themselves, because of a
 * list at the top of what is checked only the first bad item is reported.
 *
 * @param namespace that of the ids of chunks, if the request has none
 * @returns throws ServiceError `invalid_parameters` with all problems
 */
export function shapeCheck(namespace: string): (given: unknown) => void {
  const checkBody = createValidator(opened(jobBody(namespace), ['source', 'target']));
  const checkSource = createValidator(opened(sourceBody, ['fields']));
  const checkFields = createValidator(fieldsBody);
  const checkTarget = createValidator(targetBody);
  return (given) => {
    const problems: string[] = [];
    const part = (value: unknown, check: Validate, place: string) => {
      if (typeof value === 'object' && value !== null) collect(problems, () => check(value, place));
    };
    collect(problems, () => checkBody(given));
    const { source, target, pipeline, steps } = (given ?? {}) as Partial<JobMembers>;
    part(source, checkSource, 'source.');
    part(source?.fields, checkFields, 'source.fields.');
    part(target, checkTarget, 'target.');
    problems.push(...missingProblems(source, pipeline ?? steps));
    if (problems.length > 0)
      throw new ServiceError('invalid_parameters', { problems: [...new Set(problems)] });
  };
}

function missingProblems(source: JobMembers['source'] | undefined, work: unknown): string[] {
  const problems = textProblems('source.path', source?.path);
  if (typeof source === 'object' && source !== null) {
    if (source.path === undefined && source.documents === undefined)
      problems.push('source: expected a path, or documents');
  }
  if (work === undefined) problems.push('steps: missing, expected steps, or the name of a pipeline');
  return problems;
}

/** The schema with members that may be any object, because they are checked by themselves. */
function opened(schema: ObjectSchema, names: readonly string[]): ObjectSchema {
  const any = { type: 'object', additionalProperties: true };
  const members = Object.fromEntries(names.map((name) => [name, any]));
  return { ...schema, properties: { ...schema.properties, ...members } };
}
