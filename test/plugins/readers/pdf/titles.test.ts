import t from 'tap';
import { isFileName } from '../../../../plugins/readers/pdf/index.ts';

t.test('a title that is the name of a file is none', async (t) => {
  for (const title of [
    ...[
      'paper.dvi',
      'rados-pdsw.dvi',
      'Microsoft Word - Kalman15.doc',
      'Microsoft PowerPoint - Talk',
      'FINAL.PDF',
    ],
    ...[
      'final report v2.docx',
      'C:\\Users\\ann\\thesis.tex',
      '/home/ann/thesis',
      'file:///tmp/a',
      'notes.txt',
    ],
    ...['untitled', 'Untitled-1', 'Document1', 'main.tex', 'slides.key', 'scan0001.tif'],
  ])
    t.ok(isFileName(title), title);
  for (const title of [
    ...[
      'System Model',
      'Dynamo: a key-value store',
      'Introduction to Node.js',
      'How to write a README.md',
      'ASP.NET 8',
    ],
    ...[
      'Microsoft Word for beginners',
      'Version 2.0',
      'Documents of 1848',
      'The PDF',
      '.NET',
      'Yes / no',
      'A.D. 79',
    ],
  ])
    t.notOk(isFileName(title), title);
});
