import type { MigrationObject } from '@mikro-orm/core';
import { CreatePipelines } from './0001-pipelines.ts';
import { CreateBulkJobs } from './0002-bulk-jobs.ts';
import { CreateStoredDocuments } from './0004-stored-documents.ts';
import { addColumns } from './add-columns.ts';

const COUNT = 'bigint not null default 0';
/** Jobs count texts with no word that the model knows. */
const EMPTY_VECTORS = { embedding_empty: COUNT };
/** Jobs count what they skipped, and documents without text. */
const SKIPPED_FILES = { skipped_no_reader: COUNT, skipped_binary: COUNT, documents_empty: COUNT };
/** Which shard had a document first, `<job>/<seq>`, so that no job stores two with one id. */
const NOTING_SHARDS = { shard: 'text' };

/** All migrations, oldest first. Never change one that was released: add another. */
export const MIGRATIONS: MigrationObject[] = [
  { name: '0001-pipelines', class: CreatePipelines },
  { name: '0002-bulk-jobs', class: CreateBulkJobs },
  { name: '0003-empty-vectors', class: addColumns('bulk_jobs', EMPTY_VECTORS) },
  { name: '0004-stored-documents', class: CreateStoredDocuments },
  { name: '0005-skipped-files', class: addColumns('bulk_jobs', SKIPPED_FILES) },
  { name: '0006-noting-shards', class: addColumns('bulk_documents', NOTING_SHARDS) },
];
