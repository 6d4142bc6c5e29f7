const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

export function idOf(given: string): string | undefined {
  const id = given.toLowerCase();
  return UUID.test(id) ? id : undefined;
}
