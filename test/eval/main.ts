import { join } from 'node:path';

/**
 * Entry of `npm run eval`: what the built-in models are worth; with `languages FOLDER`, how often the language of
 * the files in a folder is found; with `edits`, how many chunks have new ids after an edit; with `structure FOLDER`, how
 * chunks of the READMEs in a folder keep to their structure; with `html FOLDER`, how many of the words of web pages are in
 * their Markdown; with `pdf FOLDER`, how well the PDFs in a folder are read; with `topics FOLDER`, how well `semantic` finds topics in the languages of a folder;
 * with `headings [FOLDER]`, how well numbered headings are found; with `retrieval`, how well chunks are found, on small data or on the data sets in a folder.
 */
const [subject, ...folders] = process.argv.slice(2);

if (subject === undefined) {
  await import('./models.ts');
} else if (subject === 'languages' && folders.length > 0) {
  // It is the chunker's own, and gone with it.
  const file = join(import.meta.dirname, '../plugins/chunkers/code/languages/evaluate.ts');
  await (await import(file)).evaluateLanguages(folders);
} else if (subject === 'edits' && folders.length < 2) {
  const { evaluateEdits } = await import('./edits/evaluate.ts');
  await evaluateEdits(folders[0]);
} else if (subject === 'retrieval' && folders.length < 2) {
  const { evaluateRetrieval } = await import('./retrieval/evaluate.ts');
  await evaluateRetrieval(folders[0]);
} else if (subject === 'headings' && folders.length < 2) {
  const { evaluateHeadings } = await import('./headings.ts');
  evaluateHeadings(folders[0] ?? join(import.meta.dirname, 'data/headings'));
} else if (subject === 'topics' && folders.length === 1) {
  const { evaluateTopics } = await import('./topics.ts');
  await evaluateTopics(folders[0] as string);
} else if (subject === 'structure' && folders.length === 1) {
  const { evaluateStructure } = await import('./structure/evaluate.ts');
  await evaluateStructure(folders[0] as string);
} else if (subject === 'html' && folders.length === 1) {
  // It is the reader's own, and gone with it.
  const file = join(import.meta.dirname, '../plugins/readers/html/evaluate.ts');
  await (await import(file)).evaluateHtml(folders[0]);
} else if (subject === 'pdf' && folders.length > 0) {
  const file = join(import.meta.dirname, '../plugins/readers/pdf/support/evaluate.ts');
  await (await import(file)).evaluatePdfs(folders);
} else {
  console.error(
    'Usage: npm run eval, npm run eval -- languages FOLDER..., npm run eval -- edits [SOURCES], npm run eval -- structure FOLDER, npm run eval -- topics FOLDER, npm run eval -- headings [FOLDER], npm run eval -- retrieval [FOLDER], npm run eval -- html FOLDER, or npm run eval -- pdf FOLDER...',
  );
  process.exitCode = 2;
}
