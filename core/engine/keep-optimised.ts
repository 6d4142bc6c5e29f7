const kept: object[] = [];

/** Keeps the optimised code of a class whose instances are short-lived. @param instance never used */
export function keepOptimised(instance: object): void {
  kept.push(instance);
}
