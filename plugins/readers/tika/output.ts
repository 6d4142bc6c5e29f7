/** Markdown that is put together block by block, and where its pages begin. */
export class Output {
  readonly pages: number[] = [];
  readonly #pieces: string[] = [];
  #length = 0;
  /** Pages that have begun since the last block. */
  #newPages = 0;

  /** Adds a block behind the others. @param gap what stands between it and the block before */
  add(block: string, gap = '\n\n'): void {
    if (this.#length > 0) this.#push(gap);
    this.#beginPages();
    this.#push(block);
  }

  /** The next block stands on a new page. */
  addPage(): void {
    this.#newPages++;
  }

  /** The whole text. The text before the first page counts to it. */
  end(): string {
    this.#beginPages();
    if (this.pages.length > 0) this.pages[0] = 0;
    return this.#pieces.join('');
  }

  #beginPages(): void {
    for (; this.#newPages > 0; this.#newPages--) this.pages.push(this.#length);
  }

  #push(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
  }
}
