import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'embedding',
  name: 'transformer',
  summary: 'Sentence-embedding transformers in ONNX, as sentence-transformers exports them.',
  needs: { packages: ['onnxruntime-node'] },
  uses: ['tokenizer/huggingface'],
  models: ['*'],
} as const satisfies Manifest;
