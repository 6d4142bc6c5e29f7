import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'reader',
  name: 'notebook',
  summary: 'Jupyter notebooks as Markdown, with the cell that each chunk comes from.',
  formats: { extensions: ['.ipynb'], mediaTypes: ['application/x-ipynb+json'] },
  light: true,
} as const satisfies Manifest;
