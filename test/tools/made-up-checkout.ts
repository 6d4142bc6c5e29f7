import { chunker, plugin, WHOLE_TEXT } from '../support/plugins.ts';

const tokenizer = (name: string, manifest: object = {}) =>
  plugin(
    { kind: 'tokenizer', name, models: [name], ...manifest },
    `export default () => ({ names: () => ['${name}'], open: async (name) => name !== '${name}' ? undefined : {
      name, tokenize: (text) => ({
        count: (start, end) => end - start,
        ends: () => Uint32Array.from({ length: text.length }, (_, unit) => unit + 1),
      }),
    } });`,
  );

const needing = (name: string, ...packages: string[]) =>
  chunker(name, WHOLE_TEXT, { uses: ['tokenizer'], needs: { packages } });

/** Made-up plugins and their tests, so that it does not matter which ones are in this checkout. */
export const MADE_UP: Readonly<Record<string, string>> = {
  ...below('plugins/chunkers', {
    ...needing('keep', 'of-both'),
    ...needing('drop', 'of-both', 'of-drop', 'ajv', 'pino'),
  }),
  ...below('plugins/tokenizers', { ...tokenizer('units', { default: 'units' }), ...tokenizer('letters') }),
  ...below('test/plugins/chunkers', { 'keep/keep.test.ts': '', 'drop/drop.test.ts': '', 'shared.ts': '' }),
};

/** Files in a folder. */
export function below(folder: string, files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));
}
