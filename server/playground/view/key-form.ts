import { html, type TemplateResult } from 'lit-html';

/** Asks for a key of the server, which is kept in memory alone. */
export function keyForm(start: (key: string) => void): TemplateResult {
  const sent = (event: SubmitEvent) => {
    event.preventDefault();
    start(String(new FormData(event.target as HTMLFormElement).get('key')));
  };
  return html`<form class="card key" @submit=${sent}>
    <label>This server asks for a key. It is kept until the page is closed.
      <input name="key" type="password" autocomplete="off" required></label>
    <button>Use it</button>
  </form>`;
}
