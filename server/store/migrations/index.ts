import { CreatePipelines } from './0001-pipelines.ts';
import { CreateBulkJobs } from './0002-bulk-jobs.ts';
import { AddEmptyVectors } from './0003-empty-vectors.ts';
import { CreateStoredDocuments } from './0004-stored-documents.ts';
import { AddSkippedFiles } from './0005-skipped-files.ts';
import { AddNotingShards } from './0006-noting-shards.ts';

/** All migrations, oldest first. Never change one that was released: add another. */
export const MIGRATIONS = [
  { name: '0001-pipelines', class: CreatePipelines },
  { name: '0002-bulk-jobs', class: CreateBulkJobs },
  { name: '0003-empty-vectors', class: AddEmptyVectors },
  { name: '0004-stored-documents', class: CreateStoredDocuments },
  { name: '0005-skipped-files', class: AddSkippedFiles },
  { name: '0006-noting-shards', class: AddNotingShards },
];
