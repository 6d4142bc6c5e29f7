import { isKnown, NO_RUN } from '../data/model.ts';
import { unitOf } from '../data/settings.ts';
import type { State } from '../data/state.ts';
import { columnsOf } from '../text/pieces.ts';
import { NUMBERS, numbersOfRun } from './numbers-table.ts';
import { briefOf } from './setting-card.ts';
import { blockIn } from './viewer.ts';

const STYLE = `:root { color-scheme: light dark; font: 15px/1.55 system-ui, sans-serif }
body { margin: 1rem }
table { border-collapse: collapse } th, td { text-align: start; padding: .2rem .8rem; border-bottom: 1px solid light-dark(#ccc, #555) }
.columns { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); gap: 1rem }
.text { white-space: pre-wrap; overflow-wrap: anywhere }
.even { background: light-dark(#dcebfb, #1d3b57) } .odd { background: light-dark(#fdeccb, #4d3c16) }
.gap { background: repeating-linear-gradient(90deg, transparent 0 6px, #8888 6px 8px) }
.overlap { background-image: repeating-linear-gradient(135deg, transparent 0 4px, #8888 4px 6px) }
.over { text-decoration: underline wavy light-dark(#b3261e, #ff9d94) } .start { box-shadow: inset 2px 0 0 #888 }
.differs { box-shadow: inset 4px 0 0 light-dark(#b3261e, #ff9d94) }`;

/**
 * Renders a comparison as one self-contained HTML file. The file's Content Security Policy forbids scripts and
 * requests. The text is inserted only as text nodes, so it cannot add markup.
 */
export function reportOf(state: State): string {
  const { text, source, settings, runs } = state;
  const made = document.implementation.createHTMLDocument(`Chunks of ${source}`);
  const add = (parent: Element, name: string, content = '', className = '') => {
    const element = made.createElement(name);
    if (className !== '') element.className = className;
    element.append(content);
    parent.append(element);
    return element;
  };
  const policy = made.createElement('meta');
  policy.httpEquiv = 'Content-Security-Policy';
  policy.content = "default-src 'none'; style-src 'unsafe-inline'";
  made.head.prepend(policy);
  const charset = made.createElement('meta');
  charset.setAttribute('charset', 'utf-8');
  made.head.prepend(charset);
  add(made.body, 'h1', `Chunks of ${source}`);
  const table = add(made.body, 'table');
  const head = add(table, 'tr');
  for (const name of ['Setting', ...NUMBERS.map((number) => number.name)]) add(head, 'th', name);
  for (const setting of settings) {
    const row = add(table, 'tr');
    const run = runs.get(setting.id) ?? NO_RUN;
    add(row, 'th', `${setting.id}: ${setting.steps[0]?.name}, ${briefOf(setting.steps)}`);
    if (!isKnown(run)) add(row, 'td', run.error).setAttribute('colspan', String(NUMBERS.length));
    else
      for (const { value, isSize = false } of NUMBERS) {
        const unit = isSize ? ` ${unitOf(setting, state.catalogue).short}` : '';
        add(row, 'td', value(numbersOfRun(text, setting, run)) + unit);
      }
  }
  add(made.body, 'p', NUMBERS.map(({ name, about }) => `${name}: ${about}`).join('. '));
  const compared = add(made.body, 'div', '', 'columns');
  for (const column of columnsOf(state)) {
    const section = add(compared, 'section');
    add(section, 'h2', `${column.setting.id}: ${column.setting.steps.map(({ name }) => name).join(' + ')}`);
    const shown = add(section, 'div', '', 'text');
    shown.setAttribute('dir', 'auto');
    shown.append(made.importNode(blockIn(column, text, 0, text.length), true));
  }
  // Inserts the style as text: the page's Content Security Policy also forbids inline styles in `made`.
  return `<!doctype html>\n${made.documentElement.outerHTML.replace('</head>', `<style>${STYLE}</style></head>`)}`;
}
