import { CreatePipelines } from './0001-pipelines.ts';

/** All migrations, oldest first. One that was released is never changed: add another. */
export const MIGRATIONS = [{ name: '0001-pipelines', class: CreatePipelines }];
