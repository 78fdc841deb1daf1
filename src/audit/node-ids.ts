import { addReferences, type BatchFacts } from '../chain/facts/registry.js'
import { References } from '../chain/ids/id-references.js'
import { ID_TABLES, type IdTable, NAME_COLUMNS } from '../chain/ids/queries.js'
import { toTokenId } from '../core/ids.js'
import { blockOf, logIndexOf } from '../core/seq.js'
import { groupBy } from '../lib/group-by.js'
import type { Sql } from '../store/connection.js'
import type { Difference } from './finding.js'

/** The facts that the node gives of a block, and the transactions of its logs. */
export type NodeBlock = {
  number: number
  facts: BatchFacts
  txOf: (seq: number) => string | undefined
}

/** How many names a block has, and what is wrong with their ids. */
export type ComparedIds = { names: number; differences: Difference[] }

type StoredId = { name: string; since: number }
type StoredToken = {
  name: string
  condition: string | null
  statedIn: number | null
  outcome: number | null
  hasOtherSet: boolean
}

/**
 * The ids that a block names are there, as old as the first fact that names them, and no others are
 * said to be of this block. The same for what the block states of the outcomes of tokens.
 */
export async function compareIds(sql: Sql, blocks: readonly NodeBlock[]): Promise<Map<number, ComparedIds>> {
  const compared = new Map<number, ComparedIds>()
  const numbers = blocks.map(({ number }) => number)
  const named = blocks.map((block) => ({ block, first: collectFirst(block.facts) }))
  for (const { block, first } of named) {
    const names = ID_TABLES.reduce((sum, table) => sum + first[table].size, 0)
    compared.set(block.number, { names, differences: [] })
  }
  for (const table of ID_TABLES) {
    const names = new Set(named.flatMap(({ first }) => [...first[table].keys()]))
    const stored = await selectStoredIds(sql, table, [...names], numbers)
    const byBlock = groupBy(stored.values(), ({ since }) => blockOf(since))
    for (const { block, first } of named) {
      const found = compared.get(block.number)?.differences
      for (const [name, seq] of first[table]) {
        const id = stored.get(name)
        if (id === undefined) found?.push(differ(block, seq, table, name, 'has no row'))
        else if (id.since > seq) {
          found?.push(
            differ(block, seq, table, name, `is named here, and its row says since ${show(id.since)}`),
          )
        }
      }
      for (const { name, since } of byBlock.get(block.number) ?? []) {
        if (first[table].get(name) === since) continue
        found?.push(
          differ(
            block,
            since,
            table,
            name,
            'is stored as first named here, and the node does not name it here first',
          ),
        )
      }
    }
  }
  for (const [number, found] of await compareOutcomes(sql, blocks, numbers)) {
    compared.get(number)?.differences.push(...found)
  }
  return compared
}

async function compareOutcomes(
  sql: Sql,
  blocks: readonly NodeBlock[],
  numbers: readonly number[],
): Promise<Map<number, Difference[]>> {
  const names = blocks.flatMap(({ facts }) => facts.outcomes.flatMap(({ tokens }) => tokens))
  const stored = await selectStoredTokens(sql, names, numbers)
  const differences = new Map<number, Difference[]>()
  for (const block of blocks) {
    const found: Difference[] = []
    const stated = new Set<string>()
    for (const { seq, condition, tokens } of block.facts.outcomes) {
      for (const [outcome, name] of tokens.entries()) {
        stated.add(name)
        const what = describeOutcome(stored.get(name), { condition, outcome, block: block.number })
        if (what !== undefined) found.push(differ(block, seq, 'tokens', name, what))
      }
    }
    for (const { name, statedIn } of stored.values()) {
      if (statedIn !== block.number || stated.has(name)) continue
      const what = 'is stored as stated in this block, and the node does not state it here'
      found.push({ keys: { block: block.number, token: toTokenId(name) }, what })
    }
    differences.set(block.number, found)
  }
  return differences
}

/** `undefined`: the row agrees. A token of a further set has no outcome. */
function describeOutcome(
  token: StoredToken | undefined,
  stated: { condition: string; outcome: number; block: number },
): string | undefined {
  if (token === undefined) return undefined
  if (token.condition !== stated.condition)
    return `condition is stored as ${token.condition}, and the node gives ${stated.condition}`
  if (token.statedIn === null || token.statedIn > stated.block)
    return `stated_in is stored as ${token.statedIn}, and the node gives ${stated.block} or earlier`
  const isOfFurtherSet = token.outcome === null && token.hasOtherSet
  if (token.outcome !== stated.outcome && !isOfFurtherSet)
    return `outcome is stored as ${token.outcome}, and the node gives ${stated.outcome}`
  return undefined
}

/** The first `seq` of the block that names each id. */
function collectFirst(facts: BatchFacts): Record<IdTable, Map<string, number>> {
  const collect = () => new References(() => false)
  const references = {
    wallets: collect(),
    tokens: collect(),
    conditions: collect(),
    builders: collect(),
  }
  addReferences(facts, references)
  const firstOf = (table: IdTable) => new Map(references[table].takeAll().map(({ name, seq }) => [name, seq]))
  return {
    wallets: firstOf('wallets'),
    tokens: firstOf('tokens'),
    conditions: firstOf('conditions'),
    builders: firstOf('builders'),
  }
}

/** Ids with one of these names, or first named in one of these blocks, by name. */
async function selectStoredIds(
  sql: Sql,
  table: IdTable,
  names: readonly string[],
  blocks: readonly number[],
): Promise<Map<string, StoredId>> {
  const column = NAME_COLUMNS[table]
  const rows = await sql<StoredId[]>`
    select '0x' || encode(${sql(column)}, 'hex') as name, since::float8
      from (select ${sql(column)}, since from ${sql(table)}
             where ${sql(column)} in (select decode(substr(name, 3), 'hex')
                                        from unnest(${names}::text[]) as name)
            union
            select ${sql(column)}, since
              from unnest(${blocks}::integer[]) as block
              join ${sql(table)} on since between block::bigint << 20 and (block::bigint + 1 << 20) - 1
           ) as found`
  return new Map(rows.map((row) => [row.name, row]))
}

async function selectStoredTokens(
  sql: Sql,
  names: readonly string[],
  blocks: readonly number[],
): Promise<Map<string, StoredToken>> {
  const rows = await sql<StoredToken[]>`
    select '0x' || encode(token, 'hex') as name,
           '0x' || encode(conditions.condition, 'hex') as condition,
           stated_in, outcome,
           exists (select from tokens as others
                    where others.condition = found.condition and others.outcome is not null) as has_other_set
      from tokens as found
      left join conditions on conditions.id = found.condition
     where token in (select decode(substr(name, 3), 'hex') from unnest(${names}::text[]) as name)
        or stated_in = any(${blocks}::integer[])`
  return new Map(rows.map((row) => [row.name, row]))
}

const KEY_NAMES: Readonly<Record<IdTable, string>> = {
  wallets: 'wallet',
  tokens: 'token',
  conditions: 'condition',
  builders: 'builder',
}

function differ(
  { number, txOf }: NodeBlock,
  seq: number,
  table: IdTable,
  name: string,
  what: string,
): Difference {
  const transaction = txOf(seq)
  const shown = table === 'tokens' ? toTokenId(name) : name
  const log = transaction === undefined ? {} : { transaction, log: logIndexOf(seq) }
  return { keys: { block: number, ...log, [KEY_NAMES[table]]: shown }, what }
}

const show = (seq: number): string => `block ${blockOf(seq)}, log ${logIndexOf(seq)}`
