import { html, render } from 'lit-html';

/**
 * Copies a text to the clipboard. A page has none on plain http, except on its own machine, and may be denied access:
 * then the text is shown, selected, to be copied by hand.
 *
 * @return whether it is in the clipboard
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
