import type { EntityManager, EntityName, FilterQuery, QueryOrderMap } from '@mikro-orm/core';

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** The id as stored; undefined if it is not a valid id. */
export function idOf(given: string): string | undefined {
  const id = given.toLowerCase();
  return UUID.test(id) ? id : undefined;
}

/** A page of rows, newest first. @param after the last one of the previous page */
export async function newestFirst<Row extends object>(
  em: EntityManager,
  entity: EntityName<Row>,
  { limit, after }: PageRequest,
  where: object,
): Promise<{ readonly rows: readonly Row[]; readonly hasMore: boolean }> {
  const { created_at, id } = after ?? {};
  const isOlder = { $or: [{ createdAt: { $lt: created_at } }, { id: { $lt: id } }] };
  const wanted = after === undefined ? where : { createdAt: { $lte: created_at }, ...isOlder, ...where };
  const rows = await em.fork().find(entity, wanted as FilterQuery<NoInfer<Row>>, {
    orderBy: { createdAt: 'desc', id: 'desc' } as QueryOrderMap<Row>,
    limit: limit + 1,
    disableIdentityMap: true,
  });
  return { rows: rows.slice(0, limit) as Row[], hasMore: rows.length > limit };
}

interface PageRequest {
  readonly limit: number;
  readonly after?: { readonly created_at: string | number; readonly id: string } | undefined;
}
