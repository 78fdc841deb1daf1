import { blockOf, endOfBlock, seqOf } from '../../core/seq.js'
import type { Fragment, Sql } from '../../store/connection.js'
import { hex, selectBytes } from '../../store/sql-words.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import { ID_COLUMNS } from '../facts/fact-kind.js'
import type { OutcomesFact } from '../facts/outcomes.js'
import { addReferences, type BatchFacts, FACT_TABLES } from '../facts/registry.js'
import { type Reference, References } from '../ids/id-references.js'
import { byIdTable, type IdTable, NAME_COLUMNS, type NewId } from '../ids/queries.js'

/** The natural ids of one table that some blocks name, against the rows of the table. */
export type ComparedNames = {
  /** The first fact that names each, in the order of the chain. */
  references: ReadonlyMap<string, Reference>
  missing: Reference[]
  /** Rows that claim to be first named in these blocks or later, but not where these blocks name them first. */
  wrongSince: NewId[]
  /** Rows that claim to be first named in these blocks, which do not name them. */
  unnamed: NewId[]
}

/** `condition`: its natural id. */
export type StatedToken = {
  name: string
  condition: string | null
  statedIn: number | null
  outcome: number | null
}

export type ComparedIds = {
  named: Record<IdTable, ComparedNames>
  /** Tokens whose condition, outcome or block of the statement is wrong; `expected` is what they should be. */
  restated: { seq: number; stored: StatedToken; expected: StatedToken }[]
  /** Tokens whose condition these blocks are said to state, and do not. */
  unstated: StatedToken[]
}

/**
 * Compares the rows of the id tables with what blocks name: each id is there, as old as the first fact
 * that names it, and no others are said to be of these blocks. The same for what the blocks state of
 * the outcomes of tokens.
 */
export async function compareIds(sql: Sql, facts: BatchFacts, range: BlockRange): Promise<ComparedIds> {
  const references = byIdTable(() => new References(() => false))
  addReferences(facts, references)
  const [wallets, tokens, conditions, builders, statements] = await Promise.all([
    compareNames(sql, 'wallets', references.wallets, range),
    compareNames(sql, 'tokens', references.tokens, range),
    compareNames(sql, 'conditions', references.conditions, range),
    compareNames(sql, 'builders', references.builders, range),
    compareStatements(sql, facts.outcomes, range),
  ])
  return { named: { wallets, tokens, conditions, builders }, ...statements }
}

export const areIdsSame = ({ named, restated, unstated }: ComparedIds): boolean =>
  restated.length + unstated.length === 0 &&
  Object.values(named).every(
    ({ missing, wrongSince, unnamed }) => missing.length + wrongSince.length + unnamed.length === 0,
  )

/** Indexes: the unique one of the names, whatever the planner estimates, and the one on `since`. */
async function compareNames(
  sql: Sql,
  table: IdTable,
  named: References,
  { fromBlock, toBlock }: BlockRange,
): Promise<ComparedNames> {
  const [fromSeq, toSeq] = [seqOf(fromBlock, 0), endOfBlock(toBlock)]
  const references = new Map(named.takeAll().map((reference) => [reference.name, reference]))
  const column = sql(NAME_COLUMNS[table])
  const rows = await sql<NewId[]>`
    select id, ${hex(sql, NAME_COLUMNS[table])} as name, since::float8
      from (select known.*
              from unnest(string_to_array(${[...references.keys()].join()}, ',')) as name
             cross join lateral (
               select id, ${column}, since from ${sql(table)}
                where ${column} = decode(substr(name, 3), 'hex')
               offset 0
             ) as known
            union
            select id, ${column}, since from ${sql(table)} where since between ${fromSeq} and ${toSeq}) as found
     order by id`
  const names = new Set(rows.map(({ name }) => name))
  const isNamed = ({ name }: NewId) => references.has(name)
  return {
    references,
    missing: [...references.values()].filter(({ name }) => !names.has(name)),
    wrongSince: rows.filter(
      (row) => isNamed(row) && row.since >= fromSeq && row.since !== references.get(row.name)?.seq,
    ),
    unnamed: rows.filter((row) => !isNamed(row)),
  }
}

/** By the rules of `IdMemory.learn`. Tokens without a row are among the missing names. */
async function compareStatements(
  sql: Sql,
  outcomes: readonly OutcomesFact[],
  range: BlockRange,
): Promise<Pick<ComparedIds, 'restated' | 'unstated'>> {
  const rows = await selectStatedTokens(sql, outcomes, range)
  const isOlder = ({ statedIn }: StatedToken) => statedIn !== null && statedIn < range.fromBlock
  const older = rows.filter((row) => isOlder(row) && row.outcome !== null)
  const conditionsWithSet = new Set(older.map(({ condition }) => condition))
  const byName = new Map(rows.map((row) => [row.name, row]))
  const expected = new Map<string, { seq: number; token: StatedToken }>()
  for (const { seq, condition, tokens } of outcomes) {
    const isFirst = !conditionsWithSet.has(condition)
    conditionsWithSet.add(condition)
    for (const [index, name] of tokens.entries()) {
      const row = byName.get(name)
      if (row === undefined || expected.has(name)) continue
      const token = isOlder(row)
        ? { ...row, condition, outcome: row.outcome === null ? null : index }
        : { name, condition, statedIn: blockOf(seq), outcome: isFirst ? index : null }
      expected.set(name, { seq, token })
    }
  }
  const isOfRange = (row: StatedToken) =>
    !isOlder(row) && row.statedIn !== null && row.statedIn <= range.toBlock
  return {
    restated: rows.flatMap((stored) => {
      const right = expected.get(stored.name)
      if (right === undefined || isSameStatement(stored, right.token)) return []
      return { seq: right.seq, stored, expected: right.token }
    }),
    unstated: rows.filter((row) => !expected.has(row.name) && isOfRange(row)),
  }
}

const isSameStatement = (a: StatedToken, b: StatedToken): boolean =>
  a.condition === b.condition && a.statedIn === b.statedIn && a.outcome === b.outcome

/** The tokens of these facts, all of their conditions, and those whose condition these blocks are said to state. */
function selectStatedTokens(
  sql: Sql,
  outcomes: readonly OutcomesFact[],
  { fromBlock, toBlock }: BlockRange,
): Promise<StatedToken[]> {
  const tokens = new Set(outcomes.flatMap((fact) => fact.tokens))
  const conditions = new Set(outcomes.map(({ condition }) => condition))
  return sql<StatedToken[]>`
    select ${hex(sql, 'token')} as name, ${hex(sql, 'conditions.condition')} as condition,
           stated_in, outcome
      from tokens
      left join conditions on conditions.id = tokens.condition
     where tokens.id in (
             select id from tokens
              where token in (${selectBytes(sql, tokens)})
             union
             select tokens.id from conditions join tokens on tokens.condition = conditions.id
              where conditions.condition in (${selectBytes(sql, conditions)})
             union
             select id from tokens where stated_in between ${fromBlock} and ${toBlock})
     order by tokens.id`
}

/** Every id of a table that a fact has, with the `seq` of the fact. */
export function selectIdUses(sql: Sql, table: IdTable): Fragment {
  const uses = FACT_TABLES.flatMap((facts) =>
    facts.table === 'quarantine'
      ? []
      : facts.columns
          .filter((column) => ID_COLUMNS[column] === table)
          .map((column) => selectUses(sql, facts.table, column)),
  )
  return uses.reduce((all, each) => sql`${all} union all ${each}`)
}

const LISTS = new Set(['tokens', 'given', 'taken'])

/** What a block says as a whole comes after all of its logs. A split without tokens is of the set of its condition. */
function selectUses(sql: Sql, table: string, column: string): Fragment {
  if (table === 'supply_changes')
    return sql`select token as id, (block::bigint + 1 << 20) - 1 as seq from supply_changes`
  if (table === 'splits' && column === 'tokens')
    return sql`
      select id, seq from splits cross join lateral unnest(tokens) as id
      union all
      select own.id, seq from splits join tokens as own on own.condition = splits.condition
       where splits.tokens is null and own.outcome is not null`
  if (LISTS.has(column))
    return sql`select id, seq from ${sql(table)} cross join lateral unnest(${sql(column)}) as id`
  return sql`select ${sql(column)} as id, seq from ${sql(table)} where ${sql(column)} is not null`
}
