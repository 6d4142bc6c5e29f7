const kept: object[] = [];

/** Keeps V8 from discarding a class's optimised code when all its instances are freed. @param instance never used */
export function keepOptimised(instance: object): void {
  kept.push(instance);
}
