import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kind } from '../../core/contracts/manifest.ts';
import { newPluginFiles } from '../../server/cli/commands/plugin-new.ts';
import { describeOptions } from '../../server/config/options.ts';

const PAGE = join(import.meta.dirname, '../../server/OPTIONS.md');
/** The pages with examples for authors. */
export const EXAMPLES = ['EXAMPLES.md', 'EXAMPLES-FILES.md'].map((name) =>
  join(import.meta.dirname, '../../plugins', name),
);
const TABLE = /(?<=<!-- options -->\n).*(?=\n<!-- \/options -->)/s;

/** The options of the server as a Markdown table, to be put between the two markers of its page. */
function optionsTable(): string {
  const rows = describeOptions().map(({ flag, variable, shown, description }) => {
    return row([code(flag), code(variable), shown.includes(' ') ? shown : code(shown), description]);
  });
  return [row(['Flag', 'Variable', 'Default', 'Meaning']), row(['---', '---', '---', '---']), ...rows].join(
    '\n',
  );
}

/** The names of the examples for authors, which are what `plugin new` creates. */
const EXAMPLE_KINDS: Readonly<Record<string, Kind>> = {
  section: 'chunker',
  label: 'refinery',
  words: 'tokenizer',
  letters: 'embedding',
  lyrics: 'reader',
  files: 'sink',
};
const SHOWN_FILE = /^(`my-plugins\/([a-z]+)\/(\S+)\.(js|ts)`\n\n```)\S+\n[\s\S]*?^```$/gm;

/**
 * A page of examples with the content of each file after a line with its path, as `plugin new` creates it.
 *
 * @throws Error if it does not create such a file
 */
export function withExamples(page: string): string {
  return page.replace(SHOWN_FILE, (_, head: string, name: string, file: string, ending: string) => {
    const language = ending === 'ts' ? 'typescript' : 'javascript';
    const kind = EXAMPLE_KINDS[name];
    const text = kind && newPluginFiles(kind, name, language).get(`${file}.${ending}`);
    if (text === undefined) throw new Error(`no example: ${name}/${file}.${ending} does not exist`);
    return `${head}${ending}\n${text}\`\`\``;
  });
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}

if (import.meta.main) {
  writeFileSync(PAGE, readFileSync(PAGE, 'utf8').replace(TABLE, optionsTable));
  for (const file of EXAMPLES) writeFileSync(file, withExamples(readFileSync(file, 'utf8')));
}
