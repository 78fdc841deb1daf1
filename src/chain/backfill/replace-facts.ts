import { seqOf } from '../../core/seq.js'
import type { Sql } from '../../store/connection.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { IdLookup } from '../facts/fact-kind.js'
import { type BatchFacts, FACT_TABLES } from '../facts/registry.js'
import { writeFacts } from '../write/fact-writer.js'

/** Rows that were wrong, missing or too many, by table. */
export type Replacements = Map<string, number>

export const addReplacements = (sum: Replacements, table: string, count: number): void => {
  if (count > 0) sum.set(table, (sum.get(table) ?? 0) + count)
}

/**
 * Writes facts into temporary tables, which hide those of the same names until `unstageFacts` or the
 * end of the transaction. What was written into them before is gone.
 */
export async function stageFacts(tx: Sql, facts: BatchFacts, ids: IdLookup): Promise<void> {
  await unstageFacts(tx)
  const create = ({ table }: { table: string }) =>
    `create temporary table ${table} (like public.${table} including indexes) on commit drop;`
  await tx.unsafe(FACT_TABLES.map(create).join(''))
  await writeFacts(tx, facts, ids)
}

export async function unstageFacts(tx: Sql): Promise<void> {
  await tx.unsafe(`drop table if exists ${FACT_TABLES.map(({ table }) => `pg_temp.${table}`).join(', ')}`)
}

/** How many stored rows of these blocks are not those of the temporary tables, or are missing. */
export async function countDifferences(tx: Sql, range: BlockRange): Promise<Replacements> {
  const differences: Replacements = new Map()
  for (const fact of FACT_TABLES.map((each) => toComparison(each, range))) {
    const [row] = await tx.unsafe<{ wrong: number; missing: number }[]>(
      `select (select count(*) ${fact.wrong})::integer as wrong,
              (select count(*) ${fact.missing})::integer as missing`,
    )
    addReplacements(differences, fact.table, Math.max(row?.wrong ?? 0, row?.missing ?? 0))
  }
  return differences
}

/** Makes the stored rows of these blocks those of the temporary tables. Others are not touched. */
export async function replaceFacts(tx: Sql, range: BlockRange): Promise<void> {
  for (const fact of FACT_TABLES.map((each) => toComparison(each, range))) {
    await tx.unsafe(`delete ${fact.wrong}`)
    await tx.unsafe(`insert into public.${fact.table} select staged.* ${fact.missing}`)
  }
}

/** Two rows are equal when all columns are; of whole rows PostgreSQL takes nulls for equal. */
function toComparison(
  { table, columns: [place = ''] }: (typeof FACT_TABLES)[number],
  { fromBlock, toBlock }: BlockRange,
) {
  const [from, to] = place === 'seq' ? [seqOf(fromBlock, 0), seqOf(toBlock + 1, 0) - 1] : [fromBlock, toBlock]
  // Which entries the ledger refuses is decided when it is rebuilt.
  const isFact = table === 'quarantine' ? "and stored.reason <> 'out_of_range'" : ''
  const within = `stored.${place} between ${from} and ${to} ${isFact}`
  const isSame = `stored.${place} = staged.${place} and stored = staged`
  return {
    table,
    wrong: `
      from public.${table} as stored
     where ${within} and not exists (select from pg_temp.${table} as staged where ${isSame})`,
    missing: `
      from pg_temp.${table} as staged
     where not exists (select from public.${table} as stored where ${within} and ${isSame})`,
  }
}
