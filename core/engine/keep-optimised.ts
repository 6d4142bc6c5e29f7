const kept: object[] = [];

/** Keeps the code of a class optimised whose instances live for only one request. @param instance of that class, never used */
export function keepOptimised(instance: object): void {
  kept.push(instance);
}
