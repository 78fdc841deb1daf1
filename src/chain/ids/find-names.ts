import { NONE } from '../../ledger/entry.js'
import type { Sql } from '../../store/connection.js'
import type { NameMemory } from './name-memory.js'
import {
  type NameTable,
  type PlainNameTable,
  selectConditionsOf,
  selectNames,
  selectTokens,
  selectTokensOf,
} from './name-queries.js'
import type { Unseen, UnseenNames } from './sightings.js'

/** Names that have a number, and the `seq` at which a tape names them. */
type FoundNames = Record<NameTable, { id: number; since: number }[]>

/** Brings into memory what the database knows of the unseen, and takes it out of them. */
export async function findNames(
  sql: Sql,
  memory: NameMemory,
  unseen: UnseenNames,
): Promise<FoundNames> {
  const find = (table: PlainNameTable) =>
    unseen[table].size === 0 ? [] : selectNames(sql, table, unseen[table].names())
  const [wallets, conditions, builders, tokens] = await Promise.all([
    find('wallets'),
    find('conditions'),
    find('builders'),
    unseen.tokens.size === 0 ? [] : selectTokens(sql, unseen.tokens.names()),
  ])
  for (const { name, id } of wallets) memory.wallets.set(name, id)
  for (const { name, id } of builders) memory.builders.set(name, id)
  for (const { name, id } of conditions) memory.setCondition(name, id)
  for (const { name, id } of tokens) memory.setToken(name, id)
  const missing = conditions.map(({ id }) => id).filter((id) => !memory.keepsTokensOf(id))
  await findSets(sql, memory, [...missing, ...setConditions(memory, tokens)])
  return {
    wallets: takeFound(unseen.wallets, wallets),
    conditions: takeFound(unseen.conditions, conditions),
    builders: takeFound(unseen.builders, builders),
    tokens: takeFound(unseen.tokens, tokens),
  }
}

/** Brings into memory, anew if they are there, what these belong to and what belongs to these. */
export async function findOutcomes(
  sql: Sql,
  memory: NameMemory,
  { tokens, conditions }: { tokens: readonly number[]; conditions: readonly number[] },
): Promise<void> {
  const rows = tokens.length === 0 ? [] : await selectConditionsOf(sql, tokens)
  await findSets(sql, memory, [...conditions, ...setConditions(memory, rows)])
}

/** Returns the conditions whose tokens are not in memory. */
function setConditions(
  memory: NameMemory,
  tokens: readonly { id: number; condition: number | null; told: number | null }[],
): number[] {
  const missing: number[] = []
  for (const { id, condition, told } of tokens) {
    memory.setConditionOf(id, condition ?? NONE)
    if (told !== null) memory.setTold(id, told)
    if (condition !== null && !memory.keepsTokensOf(condition)) missing.push(condition)
  }
  return missing
}

async function findSets(
  sql: Sql,
  memory: NameMemory,
  conditions: readonly number[],
): Promise<void> {
  if (conditions.length === 0) return
  const sets = new Map<number, number[]>(conditions.map((condition) => [condition, []]))
  for (const { condition, id, told } of await selectTokensOf(sql, [...sets.keys()])) {
    sets.get(condition)?.push(id)
    memory.setTold(id, told)
  }
  for (const [condition, tokens] of sets) memory.setTokensOf(condition, tokens)
}

function takeFound(unseen: Unseen, found: readonly { name: string; id: number }[]) {
  return found.map(({ name, id }) => ({ id, since: unseen.take(name)?.seq ?? 0 }))
}
