import { ServiceError } from '../../core/errors.ts';

/** Seconds after which a client that was turned away may try again. */
const RETRY_SECONDS = 1;

/** Thrown if a queue is full. One instance serves all: making an error costs more than the rest of a refusal. */
export const OVERLOADED = new ServiceError('overloaded', { seconds: RETRY_SECONDS });
