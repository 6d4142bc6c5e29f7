import type { Manifest } from '../../../core/kit.ts';

const OPEN_XML = 'application/vnd.openxmlformats-officedocument.presentationml';

export default {
  kind: 'reader',
  name: 'pptx',
  summary: 'PowerPoint presentations as Markdown, with the slide and the box that each chunk comes from.',
  formats: {
    extensions: ['.pptx', '.pptm', '.ppsx', '.ppsm', '.potx', '.potm'],
    mediaTypes: [
      `${OPEN_XML}.presentation`,
      `${OPEN_XML}.slideshow`,
      `${OPEN_XML}.template`,
      'application/vnd.ms-powerpoint.presentation.macroenabled.12',
      'application/vnd.ms-powerpoint.slideshow.macroenabled.12',
      'application/vnd.ms-powerpoint.template.macroenabled.12',
    ],
  },
  reports: { 'hidden-slides': 'How many slides are hidden in a slide show; missing if none is.' },
  guarded: true,
} as const satisfies Manifest;
