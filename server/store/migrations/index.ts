import { CreatePipelines } from './0001-pipelines.ts';

/** All migrations, oldest first. Never change one that was released: add another. */
export const MIGRATIONS = [{ name: '0001-pipelines', class: CreatePipelines }];
