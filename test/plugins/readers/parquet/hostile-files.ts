export { HOSTILE_FILES } from '../../../server/corpora/jobs/hostile-parquet.ts';
