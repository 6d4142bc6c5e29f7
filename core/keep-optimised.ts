const kept: object[] = [];

/**
 * Keeps one empty instance of a class alive whose other instances live for a request only. V8 holds the
 * shape of objects weakly: without a living instance a garbage collection throws away the optimised code
 * of the class, and the next requests run several times slower until it is made again.
 */
export function keepOptimised(instance: object): void {
  kept.push(instance);
}
