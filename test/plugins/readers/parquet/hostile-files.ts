export { HOSTILE_FILES } from '../../../support/hostile-parquet.ts';
