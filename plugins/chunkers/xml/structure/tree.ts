import { countUpTo, countWhile, keepOptimised } from '../../../../core/kit.ts';

/** Longer and deeper paths are omitted: deeply nested elements would have very long ones. */
const MAX_CHARACTERS = 256;
const MAX_LEVELS = 64;

/** The document, which is around the root element. */
export const DOCUMENT = 0;

/** Where a stretch lies among the elements of a text. */
export interface Place {
  /** XPath of the smallest element that contains it; null if that is too long or too deep. */
  readonly xpath: string | null;
  /** The first and the last child of that element in the stretch, from 1, unless it is one element or has text. */
  readonly elements: readonly [first: number, last: number] | undefined;
}

/** The elements of a text, and which of them its contents belong to. */
export class Tree {
  readonly #names: string[] = [''];
  readonly #parents: number[] = [DOCUMENT];
  readonly #levels: number[] = [0];
  /** Numbers of elements among their siblings: of the same name, and of all names. */
  readonly #namesakes: number[] = [0];
  readonly #ordinals: number[] = [0];
  readonly #starts: number[] = [0];
  readonly #ends: number[] = [Number.POSITIVE_INFINITY];
  readonly #children: number[] = [0];
  /** For each element with children, how many have each name. */
  readonly #counts: (Map<string, number> | undefined)[] = [undefined];
  readonly #contentStarts: number[] = [];
  readonly #contentEnds: number[] = [];
  readonly #owners: number[] = [];
  /** Whether a content belongs to an element that is too deep to be kept here. */
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

  /** Text, or an element without content, belongs to an element. */
  content(start: number, end: number, owner: number, isDeep: boolean): void {
    this.#contentStarts.push(start);
    this.#contentEnds.push(end);
    this.#owners.push(owner);
    this.#isDeep.push(isDeep);
  }

  /** The place of a stretch; that of one without content is what contains it and the contents beside it. */
  place(start: number, end: number): Place {
    const behind = countUpTo(this.#contentEnds, start);
    const before = countWhile(this.#contentStarts, (content) => content < end) - 1;
    const [first, last] = [Math.min(behind, before), Math.max(behind, before)];
    if (first < 0 || last >= this.contents) return { xpath: '/', elements: undefined };
    const element = this.#common(this.#owners[first] as number, this.#owners[last] as number);
    const isDeep = [first, last].some((one) => this.#isDeep[one] && this.#owners[one] === element);
    if (isDeep) return { xpath: null, elements: undefined };
    const whole = this.#outermostWithin(element, start, end);
    if (whole !== undefined) return { xpath: this.#xpath(whole), elements: undefined };
    const hasContent = before >= behind;
    const elements = hasContent ? this.#childrenIn(element, first, last) : undefined;
    return { xpath: this.#xpath(element), elements };
  }

  #childrenIn(element: number, first: number, last: number): [number, number] | undefined {
    const [one, other] = [first, last].map((content) => this.#childAround(element, content));
    return one === undefined || other === undefined ? undefined : [one, other];
  }

  /** The number of the child of an element that a content belongs to; undefined if it belongs to the element itself. */
  #childAround(element: number, content: number): number | undefined {
    let child = this.#owners[content] as number;
    if (child === element) return undefined;
    while (this.#parents[child] !== element) child = this.#parents[child] as number;
    return this.#ordinals[child];
  }

  #common(one: number, other: number): number {
    let [a, b] = [one, other];
    while (a !== b) {
      if ((this.#levels[a] as number) >= (this.#levels[b] as number)) a = this.#parents[a] as number;
      else b = this.#parents[b] as number;
    }
    return a;
  }

  /** The outermost element, from one outwards, that lies within a stretch with both of its tags. */
  #outermostWithin(element: number, start: number, end: number): number | undefined {
    let found: number | undefined;
    for (let at = element; at !== DOCUMENT; at = this.#parents[at] as number) {
      if ((this.#starts[at] as number) < start || (this.#ends[at] as number) > end) break;
      found = at;
    }
    return found;
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
