import { html, render } from 'lit-html';
import type { Chunk } from '../data/model.ts';

export function jsonLines(chunks: readonly Chunk[]): string {
  return chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join('');
}

/** Formats chunks as CSV (RFC 4180) with one column per field. Lists and objects are written as JSON. */
export function csv(chunks: readonly Chunk[]): string {
  const fields = [...new Set(chunks.flatMap((chunk) => Object.keys(chunk)))];
  const rows = [fields, ...chunks.map((chunk) => fields.map((field) => cellOf(chunk[field])))];
  return rows.map((row) => `${row.map(quoted).join(',')}\r\n`).join('');
}

export function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

export function save(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/**
 * Copies a text to the clipboard. If the clipboard is not accessible, as on http other than localhost, shows the
 * selected text for copying by hand.
 *
 * @returns whether the text is in the clipboard
 */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    showSelected(text);
    return false;
  }
}

function showSelected(text: string): void {
  const dialog = document.createElement('dialog');
  const content = html`<form method="dialog">
    <label>The browser does not let this page copy: it allows that on https and on localhost. Copy it yourself, with Ctrl+C or ⌘C.
      <textarea readonly rows="4" spellcheck="false" .value=${text}></textarea></label>
    <button>Close</button>
  </form>`;
  render(content, dialog);
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  dialog.querySelector('textarea')?.select();
}
