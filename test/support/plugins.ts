import { join } from 'node:path';
import { type Cleanup, temporaryFolder } from './server.ts';

/** A folder of plugins for tests: the chunkers `lines` and `paragraph`, the refinery `shout`, the tokenizer `words`. */
export const FIXTURES = join(import.meta.dirname, '../fixtures/plugins');

/** The files of a plugin in plain JavaScript, for a folder of plugins. */
export function plugin(
  manifest: { kind: string; name: string } & Record<string, unknown>,
  index: string,
): Record<string, string> {
  const whole = { summary: 'For a test.', ...manifest };
  return {
    [`${manifest.name}/manifest.js`]: `export default ${JSON.stringify(whole)};\n`,
    [`${manifest.name}/index.js`]: index,
  };
}

/** The files of a chunker whose `chunk(text, options, context)` has the given body. */
export function chunker(name: string, body: string, manifest: object = {}): Record<string, string> {
  const index = `export default () => ({ async chunk(text, options, context) { ${body} } });\n`;
  return plugin({ kind: 'chunker', name, ...manifest }, index);
}

/** The files of a refinery whose `refine(chunks, options, context)` has the given body. */
export function refinery(name: string, body: string, manifest: object = {}): Record<string, string> {
  const index = `export default () => ({ refine(chunks, options, context) { ${body} } });\n`;
  return plugin({ kind: 'refinery', name, ...manifest }, index);
}

/** A folder of plugins outside the project. */
export function pluginsFolder(t: Cleanup, ...plugins: Record<string, string>[]): Promise<string> {
  return temporaryFolder(t, Object.assign({}, ...plugins));
}

export const WHOLE_TEXT = 'return [{ start: 0, end: text.length }];';
