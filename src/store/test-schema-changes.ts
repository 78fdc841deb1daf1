import type { Sql } from './connection.js'

/** Everything that statements of an older version may rely on: its kind and name, and what it is. */
export type Schema = ReadonlyMap<string, SchemaPart>

type SchemaPart = {
  /** `undefined`: it belongs to no table. */
  table: string | undefined
  definition: string
  /** Rows of an older version, which does not know it, may be refused because of it. */
  isRule: boolean
}

export async function selectSchema(sql: Sql): Promise<Schema> {
  const rows = await sql<(SchemaPart & { part: string })[]>`
    with relations as (
      select c.oid, c.relkind, format('%I.%I', n.nspname, c.relname) as name
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname !~ '^(pg_|information_schema)' and c.relkind in ('r', 'p', 'v', 'm', 'S')
    )
    select 'relation ' || name as part, null as table, relkind::text as definition, false as is_rule
      from relations
    union all
    select format('column %s.%I', name, attname), name,
           format_type(atttypid, atttypmod) || case when attnotnull then ' not null' else '' end,
           attnotnull and not atthasdef and attidentity = ''
      from relations join pg_attribute on attrelid = oid where attnum > 0 and not attisdropped
    union all
    select format('default of %s.%I', name, attname), name, pg_get_expr(adbin, adrelid), false
      from relations r join pg_attrdef d on d.adrelid = r.oid
      join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
    union all
    select format('constraint %I of %s', conname, name), name, pg_get_constraintdef(c.oid), true
      from relations r join pg_constraint c on c.conrelid = r.oid
     where contype <> 'n' -- the columns say that
    union all
    select format('index %s', indexrelid::regclass), name, pg_get_indexdef(indexrelid), indisunique
      from relations join pg_index on indrelid = oid
    union all
    select format('trigger %I of %s', tgname, name), name, pg_get_triggerdef(t.oid), true
      from relations r join pg_trigger t on tgrelid = r.oid where not tgisinternal
    union all
    select format('function %s', p.oid::regprocedure), null, pg_get_functiondef(p.oid), false
      from pg_proc p join pg_namespace n on n.oid = pronamespace
     where nspname = 'public' and prokind = 'f'
       and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
    order by 1`
  return new Map(rows.map(({ part, ...known }) => [part, known]))
}

/** What an older version cannot live with, each as a sentence. */
export function findBreakingChanges(before: Schema, after: Schema): string[] {
  const breaking: string[] = []
  for (const [part, { definition }] of before) {
    const now = after.get(part)
    if (now === undefined) breaking.push(`${part} is gone`)
    else if (now.definition !== definition)
      breaking.push(`${part} was "${definition}", is "${now.definition}"`)
  }
  const isKnown = (table: string | undefined) => before.has(`relation ${table}`)
  for (const [part, { table, isRule }] of after) {
    if (!before.has(part) && isRule && isKnown(table))
      breaking.push(`${part} may refuse rows of older versions`)
  }
  return breaking
}

/** Rows that go away leave no trace in the schema. */
export function findDeletions(migration: string): string[] {
  const code = migration.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ')
  return code.match(/\b(truncate|delete from) [\w."]+/gi) ?? []
}
