import { join } from 'node:path';

/** Entry of `npm run eval`: what the built-in models are worth, or one of these. */
const USAGE = `Usage: npm run eval [-- <subject>]
  languages FOLDER...  how often the language of files is found
  edits [SOURCES]      how many chunks have new ids after an edit
  structure FOLDER     how chunks of READMEs keep to their structure
  world FOLDER [even]  how well answers and topics are found in the languages of a folder, by the odd or the even half
  headings [FOLDER]    how well numbered headings are found
  retrieval [FOLDER]   how well chunks are found, on small data or the data sets of a folder
  code FOLDER [SET]    how well functions are found by their documentation, or with \`exactness\` whether chunks are exact
  html FOLDER          how many of the words of web pages are in their Markdown
  pdf FOLDER...        how well PDFs are read
  words FOLDER         how many of the words of pandoc, LibreOffice and Python are found in books, mail and OpenDocument`;

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
} else if (subject === 'world' && folders.length > 0 && ['odd', 'even', undefined].includes(folders[1])) {
  const { evaluateWorld } = await import('./world.ts');
  await evaluateWorld(folders[0] as string, folders[1] === 'even' ? 'even' : 'odd');
} else if (subject === 'structure' && folders.length === 1) {
  const { evaluateStructure } = await import('./structure/evaluate.ts');
  await evaluateStructure(folders[0] as string);
} else if (subject === 'code' && (folders.length === 1 || folders.length === 2)) {
  const file = join(import.meta.dirname, '../plugins/chunkers/code/evaluate.ts');
  await (await import(file)).evaluateCode(...folders);
} else if (subject === 'html' && folders.length === 1) {
  // It is the reader's own, and gone with it.
  const file = join(import.meta.dirname, '../plugins/readers/html/evaluate.ts');
  await (await import(file)).evaluateHtml(folders[0]);
} else if (subject === 'pdf' && folders.length > 0) {
  const file = join(import.meta.dirname, '../plugins/readers/pdf/support/evaluate.ts');
  await (await import(file)).evaluatePdfs(folders);
} else if (subject === 'words' && folders.length === 1) {
  const { evaluateWords } = await import('./words/evaluate.ts');
  await evaluateWords(folders[0] as string);
} else {
  console.error(USAGE);
  process.exitCode = 2;
}
