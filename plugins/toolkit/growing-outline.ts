import type { Outline } from '../../core/contracts/chunker.ts';
import { keepOptimised } from '../../core/engine/keep-optimised.ts';

/** An outline to which boundaries are added in the order of the text. */
export class GrowingOutline implements Outline {
  readonly edges = [0];
  readonly ranks = [0];

  /** The last boundary. */
  get last(): number {
    return this.edges.at(-1) as number;
  }

  add(offset: number, rank: number): void {
    if (offset === this.last) this.improve(rank);
    else {
      this.edges.push(offset);
      this.ranks.push(rank);
    }
  }

  /** Lowers the last boundary's rank to `rank`; a lower rank is better. Never raises it. */
  improve(rank: number): void {
    const index = this.ranks.length - 1;
    this.ranks[index] = Math.min(this.ranks[index] as number, rank);
  }
}

keepOptimised(new GrowingOutline());
