const FIRST = 0xe000;
const LAST = 0xf8ff;
const SIGN = /[\ue000-\uf8ff]/g;

/** Verbatim parts of a title, replaced by signs of the private use area while the rest of it is read. */
export class Held {
  readonly #parts: string[] = [];

  /** The sign that represents a part. */
  hold(part: string): string {
    if (FIRST + this.#parts.length > LAST) return part;
    return String.fromCharCode(FIRST + this.#parts.push(part) - 1);
  }

  /** A title with all parts in it. Signs that were in it from the start stay. */
  release(title: string): string {
    return title.replace(SIGN, (sign) => this.#parts[sign.charCodeAt(0) - FIRST] ?? sign);
  }
}
