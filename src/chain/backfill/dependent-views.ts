import type { Sql } from '../../store/connection.js'

type View = { name: string; definition: string }

/** The views that read these tables, or read such views; each comes after those that it reads. */
export async function selectDependentViews(sql: Sql, tables: readonly string[]): Promise<View[]> {
  const views = await sql<View[]>`
    with recursive readers as (
      select oid as relation, 0 as depth
        from pg_class
       where relnamespace = 'public'::regnamespace
         and relname = any(${tables}::text[])
      union
      select r.ev_class, readers.depth + 1
        from readers
        join pg_depend d on d.refclassid = 'pg_class'::regclass
                        and d.refobjid = readers.relation
                        and d.classid = 'pg_rewrite'::regclass
        join pg_rewrite r on r.oid = d.objid and r.ev_class <> readers.relation
    )
    select format('%I.%I', n.nspname, c.relname) as name, pg_get_viewdef(c.oid) as definition
      from readers
      join pg_class c on c.oid = readers.relation and c.relkind = 'v'
      join pg_namespace n on n.oid = c.relnamespace
     group by c.oid, n.nspname, c.relname
     order by max(readers.depth)`
  return [...views]
}

export async function dropViews(tx: Sql, views: readonly View[]): Promise<void> {
  if (views.length === 0) return
  await tx.unsafe(`drop view ${views.map(({ name }) => name).join(', ')}`)
}

export async function createViews(tx: Sql, views: readonly View[]): Promise<void> {
  for (const { name, definition } of views) await tx.unsafe(`create view ${name} as ${definition}`)
}
