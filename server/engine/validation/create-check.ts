import type { CreateCheck } from '../../../core/contracts/collaborators.ts';
import { ServiceError } from '../../../core/errors.ts';
import { createValidator } from './validator.ts';

/** The check of a schema that lists what is wrong, for files that plugins read. */
export const createCheck: CreateCheck = (schema) => {
  const validate = createValidator(schema);
  return (value, place) => {
    try {
      validate(value, place);
      return [];
    } catch (error) {
      if (error instanceof ServiceError) return error.problems;
      throw error;
    }
  };
};
