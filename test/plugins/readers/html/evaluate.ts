import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DefaultTreeAdapterTypes, parse, serialize } from 'parse5';
import { reasonOf } from '../../../../core/errors.ts';
import createReader from '../../../../plugins/readers/html/index.ts';
import { readWith } from '../reading.ts';
import { inOrder, wordsOf } from '../words.ts';

/**
 * `npm run eval -- html FOLDER`: which share of the words of the pages in a folder the Markdown of the reader `html` has, in
 * their order, with the text browser lynx and the parser of Python as witnesses; and what looks like a tag outside code.
 */

type ParentNode = DefaultTreeAdapterTypes.ParentNode;
type Element = DefaultTreeAdapterTypes.Element;

const WORST = 12;
const LYNX = '-dump -nolist -nonumbers -verbose -width=990 -force_html -display_charset=utf-8 -stdin'.split(
  ' ',
);
/** Text outside of what is never shown. */
const PYTHON = `
import sys
from html.parser import HTMLParser
class Text(HTMLParser):
    hidden = 0
    def handle_starttag(self, tag, attrs):
        if tag in ('script', 'style', 'template', 'title'): self.hidden += 1
        if tag not in INLINE: print()
        for name, value in attrs:
            if tag == 'img' and name == 'alt' and value: print(' ', value, ' ')
    def handle_endtag(self, tag):
        if tag in ('script', 'style', 'template', 'title'): self.hidden = max(self.hidden - 1, 0)
        if tag not in INLINE: print()
    def handle_data(self, data):
        if not self.hidden: print(data, end='')
INLINE = set('a b i u s em strong span font code tt kbd samp var big small sub sup wbr abbr q cite mark'.split())
sys.stdout.reconfigure(encoding='utf-8')
Text().feed(sys.stdin.buffer.read().decode('utf-8'))
`;

interface Result {
  readonly name: string;
  readonly lynx: number;
  readonly python: number;
  readonly kept: number;
  readonly tags: readonly string[];
}

export async function evaluateHtml(folder: string): Promise<void> {
  const names = readdirSync(folder).filter((name) => /\.x?html?$/.test(name));
  const results: Result[] = [];
  for (const name of names)
    try {
      results.push(await evaluate(folder, name));
    } catch (error) {
      console.log(`${name}: ${reasonOf(error)}`);
    }
  const tagged = results.filter(({ tags }) => tags.length > 0);
  console.log(`${results.length} pages`);
  console.log(`words of lynx in order     ${summary(results.map(({ lynx }) => lynx))}`);
  console.log(`words of Python in order   ${summary(results.map(({ python }) => python))}`);
  console.log(`Markdown by size of page   ${summary(results.map(({ kept }) => kept))}`);
  console.log(`pages with tags            ${tagged.length}`);
  for (const { name, tags } of tagged) console.log(`  ${name}: ${tags.slice(0, 3).join(' ')}`);
  console.log('worst');
  const worst = results.toSorted((a, b) => a.lynx - b.lynx).slice(0, WORST);
  for (const { name, lynx, python } of worst)
    console.log(`  ${lynx.toFixed(3)} ${python.toFixed(3)} ${name}`);
}

async function evaluate(folder: string, name: string): Promise<Result> {
  const bytes = readFileSync(join(folder, name));
  const { text, encoding } = await readWith(createReader, bytes, { name });
  const source = seen(new TextDecoder(encoding).decode(bytes));
  const own = wordsOf(plain(text).toLowerCase());
  const share = (witness: string): number => {
    const words = wordsOf(witness.toLowerCase());
    return words.length === 0 ? 1 : inOrder(words, own) / words.length;
  };
  const shown = output('lynx', ['-assume_charset=utf-8', ...LYNX], source);
  return {
    name,
    lynx: share(shown.replace(ADDED, ' ')),
    python: share(output('python3', ['-c', PYTHON], source)),
    kept: text.length / bytes.length,
    tags: withoutCode(text).match(/(?<!\\)<[a-z/][^>\n]{0,20}/gi) ?? [],
  };
}

function output(program: string, parameters: readonly string[], input: string): string {
  const { stdout, error, status } = spawnSync(program, parameters, { input, maxBuffer: 1 << 28 });
  if (error !== undefined || status !== 0) throw error ?? new Error(`${program} ends with ${status}`);
  return stdout.toString();
}

const UNSEEN = new Set(
  'script style template iframe noembed noframes math audio video canvas datalist head'.split(' '),
);

/** The page as both witnesses get it, in UTF-8: without what a browser does not show, which they know nothing of. */
function seen(source: string): string {
  const document = parse(source, { scriptingEnabled: false });
  const open: ParentNode[] = [document];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    node.childNodes = node.childNodes.filter((child) => !('tagName' in child) || isSeen(child));
    for (const child of node.childNodes) if ('childNodes' in child) open.push(child);
  }
  return serialize(document, { scriptingEnabled: false });
}

function isSeen({ tagName, attrs }: Element): boolean {
  const isHidden = attrs.some(
    ({ name, value }) => name === 'hidden' || (name === 'style' && /display\s*:\s*none/i.test(value)),
  );
  return (
    !UNSEEN.has(tagName) && !isHidden && (tagName !== 'dialog' || attrs.some(({ name }) => name === 'open'))
  );
}

/** What lynx adds: signs of items, fields, buttons, changes, and pictures without a description. */
const ADDED =
  /^\s*[*+#o@-]\s|_{2,}|\(BUTTON\)|\[(?:LINK|INLINE|IMAGE|ISMAP)\]|(?:\[(?:INS|DEL):|:(?:INS|DEL)\])/gm;

const withoutCode = (markdown: string): string =>
  markdown
    .replace(/^[> ]*(`{3,})[^\n]*\n[\s\S]*?\n[> ]*\1\s*$/gm, '')
    .replace(/(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '');

/** Without the addresses of links. */
const plain = (markdown: string): string => markdown.replace(/\]\((?:https?:|mailto:)[^\s()]*\)/gi, '] ');

function summary(shares: readonly number[]): string {
  const sorted = shares.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(3);
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return `mean ${mean.toFixed(4)}, median ${at(0.5)}, lowest tenth ${at(0.1)}, lowest ${at(0)}`;
}
