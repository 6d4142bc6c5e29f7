const kept: object[] = [];

/**
 * Keeps one empty instance alive of a class whose other instances live for only one request. V8 holds the shape of a
 * class's instances weakly: if a garbage collection finds none, V8 discards the optimised code too, and the next
 * requests are slow until it has been compiled again.
 * Functions over an object literal need no such instance, because V8 keeps the shape of a literal with the function
 * that creates it; the engine is written that way. This is for classes that are faster as classes.
 */
export function keepOptimised(instance: object): void {
  kept.push(instance);
}
