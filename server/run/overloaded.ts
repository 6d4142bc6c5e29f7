import { ServiceError } from '../../core/errors.ts';

/** Seconds after which a client that was turned away may try again. */
const RETRY_SECONDS = 1;

/** What is thrown where a queue is full: always the same one, because to make an error costs more than to refuse. */
export const OVERLOADED = new ServiceError('overloaded', { seconds: RETRY_SECONDS });
