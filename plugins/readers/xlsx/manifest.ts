import type { Manifest } from '../../../core/kit.ts';

const OPEN_XML = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

export default {
  kind: 'reader',
  name: 'xlsx',
  summary: 'Excel workbooks as Markdown tables, with the sheet and the cells that each chunk comes from.',
  formats: {
    extensions: ['.xlsx', '.xlsm', '.xltx', '.xltm'],
    mediaTypes: [
      `${OPEN_XML}.sheet`,
      `${OPEN_XML}.template`,
      'application/vnd.ms-excel.sheet.macroenabled.12',
      'application/vnd.ms-excel.template.macroenabled.12',
    ],
  },
  reports: {
    'hidden-sheets': 'How many sheets with text are hidden in Excel; missing if none is.',
    'formulas-without-value':
      'How many formulas have no saved value, so that the text has the formula; missing if all have one.',
  },
  guarded: true,
} as const satisfies Manifest;
