/**
 * Entry of `npm run eval`: what the built-in models are worth; with `languages FOLDER`, how often the language of
 * the files in a folder is found.
 */
const [subject, ...folders] = process.argv.slice(2);

if (subject === undefined) {
  await import('./models.ts');
} else if (subject === 'languages' && folders.length > 0) {
  const { evaluateLanguages } = await import('./languages/evaluate.ts');
  await evaluateLanguages(folders);
} else {
  console.error('Usage: npm run eval, or npm run eval -- languages FOLDER...');
  process.exitCode = 2;
}
