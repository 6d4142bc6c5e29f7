import { countUpTo, countWhile, keepOptimised } from '../../../../core/kit.ts';

/** Paths with more characters or levels are omitted, because many chunks would repeat them. */
const MAX_CHARACTERS = 256;
const MAX_LEVELS = 64;

/** The index of the document, which contains the root element. */
export const DOCUMENT = 0;

interface Location {
  /** XPath of the smallest element that contains the stretch; null if the path is too long or too deep. */
  readonly xpath: string | null;
  /** First and last child (from 1) of that element in the stretch; undefined for a whole element or only text. */
  readonly elements: readonly [first: number, last: number] | undefined;
}

export class Tree {
  readonly #names: string[] = [''];
  readonly #parents: number[] = [DOCUMENT];
  readonly #levels: number[] = [0];
  /** Position of each element among siblings: of the same name (`#namesakes`), and of any name (`#ordinals`). */
  readonly #namesakes: number[] = [0];
  readonly #ordinals: number[] = [0];
  readonly #starts: number[] = [0];
  readonly #ends: number[] = [Number.POSITIVE_INFINITY];
  readonly #children: number[] = [0];
  /** Number of children by name, for each open element. */
  readonly #counts: (Map<string, number> | undefined)[] = [undefined];
  readonly #contentStarts: number[] = [];
  readonly #contentEnds: number[] = [];
  readonly #owners: number[] = [];
  readonly #isDeep: boolean[] = [];

  get contents(): number {
    return this.#owners.length;
  }

  /** @returns the index of the new element, or of the parent if it is too deep to be kept */
  open(name: string, parent: number, start: number): number {
    const level = (this.#levels[parent] as number) + 1;
    if (level > MAX_LEVELS) return parent;
    const counts = this.#counts[parent] ?? new Map<string, number>();
    this.#counts[parent] = counts;
    const namesake = (counts.get(name) ?? 0) + 1;
    counts.set(name, namesake);
    const ordinal = (this.#children[parent] as number) + 1;
    this.#children[parent] = ordinal;
    this.#names.push(name);
    this.#parents.push(parent);
    this.#levels.push(level);
    this.#namesakes.push(namesake);
    this.#ordinals.push(ordinal);
    this.#starts.push(start);
    this.#ends.push(Number.POSITIVE_INFINITY);
    this.#children.push(0);
    return this.#counts.push(undefined) - 1;
  }

  close(element: number, end: number): void {
    this.#ends[element] = end;
    this.#counts[element] = undefined;
  }

  /** @param owner the element that contains the text, or the empty element itself */
  addContent(start: number, end: number, owner: number, isDeep: boolean): void {
    this.#contentStarts.push(start);
    this.#contentEnds.push(end);
    this.#owners.push(owner);
    this.#isDeep.push(isDeep);
  }

  /** Locates a stretch. A stretch without content is located by the contents before and after it. */
  locate(start: number, end: number): Location {
    const behind = countUpTo(this.#contentEnds, start);
    const before = countWhile(this.#contentStarts, (content) => content < end) - 1;
    const first = Math.min(behind, before);
    const last = Math.max(behind, before);
    if (first < 0 || last >= this.contents) return { xpath: '/', elements: undefined };
    const element = this.#common(this.#owners[first] as number, this.#owners[last] as number);
    const isDeep = [first, last].some((index) => this.#isDeep[index] && this.#owners[index] === element);
    if (isDeep) return { xpath: null, elements: undefined };
    const whole = this.#outermostWithin(element, start, end);
    if (whole !== undefined) return { xpath: this.#xpath(whole), elements: undefined };
    const hasContent = before >= behind;
    const elements = hasContent ? this.#childrenIn(element, first, last) : undefined;
    return { xpath: this.#xpath(element), elements };
  }

  #childrenIn(element: number, first: number, last: number): [number, number] | undefined {
    const firstChild = this.#childAround(element, first);
    const lastChild = this.#childAround(element, last);
    return firstChild === undefined || lastChild === undefined ? undefined : [firstChild, lastChild];
  }

  /** The position of the child that holds a content; undefined if the element itself owns the content. */
  #childAround(element: number, content: number): number | undefined {
    let child = this.#owners[content] as number;
    if (child === element) return undefined;
    while (this.#parents[child] !== element) child = this.#parents[child] as number;
    return this.#ordinals[child];
  }

  #common(one: number, other: number): number {
    let a = one;
    let b = other;
    while (a !== b) {
      if ((this.#levels[a] as number) >= (this.#levels[b] as number)) a = this.#parents[a] as number;
      else b = this.#parents[b] as number;
    }
    return a;
  }

  #outermostWithin(element: number, start: number, end: number): number | undefined {
    let outermost: number | undefined;
    for (let at = element; at !== DOCUMENT; at = this.#parents[at] as number) {
      if ((this.#starts[at] as number) < start || (this.#ends[at] as number) > end) break;
      outermost = at;
    }
    return outermost;
  }

  #xpath(element: number): string | null {
    if (element === DOCUMENT) return '/';
    let path = '';
    for (let at = element; at !== DOCUMENT; at = this.#parents[at] as number) {
      const isFirst = this.#parents[at] === DOCUMENT && this.#namesakes[at] === 1;
      path = `/${this.#names[at]}${isFirst ? '' : `[${this.#namesakes[at]}]`}${path}`;
      if (path.length > MAX_CHARACTERS) return null;
    }
    return path;
  }
}

keepOptimised(new Tree());
