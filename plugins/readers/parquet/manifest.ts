import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'reader',
  name: 'parquet',
  summary: 'Parquet files as a Markdown table, with the row that each chunk comes from.',
  formats: {
    extensions: ['.parquet'],
    mediaTypes: ['application/vnd.apache.parquet', 'application/x-parquet', 'application/parquet'],
  },
  needs: { packages: ['hyparquet', 'hyparquet-compressors'] },
  guarded: true,
} as const satisfies Manifest;
