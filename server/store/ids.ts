const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** The id as stored; undefined if it is not a valid id. */
export function idOf(given: string): string | undefined {
  const id = given.toLowerCase();
  return UUID.test(id) ? id : undefined;
}
