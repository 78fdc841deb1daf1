import { blockOf } from '../../core/seq.js'
import { NONE } from '../../ledger/entry.js'
import type { Sql } from '../../store/connection.js'
import type { NameMemory } from './name-memory.js'
import {
  insertNames,
  insertTokens,
  journalTokens,
  type LastIds,
  NAME_TABLES,
  type NameTable,
  type NewName,
  type NewToken,
  PLAIN_NAME_TABLES,
  type ToldToken,
  updateTokens,
} from './name-queries.js'
import type { Unseen, UnseenNames } from './sightings.js'

type NewNames = Record<NameTable, NewName[]>

/** Numbers whatever is unseen in the order of the chain, and brings it into memory. */
export function numberNames(memory: NameMemory, unseen: UnseenNames, last: LastIds): NewNames {
  const named = {
    wallets: numberFrom(last.wallets, unseen.wallets),
    tokens: numberFrom(last.tokens, unseen.tokens),
    conditions: numberFrom(last.conditions, unseen.conditions),
    builders: numberFrom(last.builders, unseen.builders),
  }
  for (const { name, id } of named.wallets) memory.wallets.set(name, id)
  for (const { name, id } of named.builders) memory.builders.set(name, id)
  for (const { name, id } of named.conditions) {
    memory.setCondition(name, id)
    memory.setTokensOf(id, [])
  }
  for (const { name, id } of named.tokens) {
    memory.setToken(name, id)
    memory.setConditionOf(id, NONE)
  }
  return named
}

/** Writes the new names, and what was told of these and of older tokens. */
export async function writeNames(
  tx: Sql,
  named: NewNames,
  tellings: readonly ToldToken[],
  last: LastIds,
): Promise<void> {
  const changed = tellings.filter(({ id }) => id <= last.tokens)
  await Promise.all([
    ...PLAIN_NAME_TABLES.map((table) => insertNames(tx, table, named[table])),
    insertTokens(tx, withTellings(named.tokens, tellings)),
    changed.length > 0 ? updateTokens(tx, changed) : undefined,
  ])
}

/** A token that is as new as what was told of it goes with its row; all others need a journal. */
export async function journalTold(
  tx: Sql,
  named: NewNames,
  tellings: readonly ToldToken[],
  last: LastIds,
): Promise<void> {
  const changed = tellings.filter(({ id, told }) => {
    const since = named.tokens[id - last.tokens - 1]?.since
    return since === undefined || blockOf(since) < told
  })
  if (changed.length > 0) await journalTokens(tx, changed)
}

export function lastIdsAfter(last: LastIds, named: NewNames): LastIds {
  const after = { ...last }
  for (const table of NAME_TABLES) after[table] += named[table].length
  return after
}

function numberFrom(lastId: number, unseen: Unseen): NewName[] {
  return unseen
    .takeAll()
    .map(({ name, seq }, index) => ({ name, id: lastId + 1 + index, since: seq }))
}

function withTellings(tokens: readonly NewName[], tellings: readonly ToldToken[]): NewToken[] {
  const byToken = new Map(tellings.map((telling) => [telling.id, telling]))
  return tokens.map(({ name, id, since }) => ({ name, id, since, telling: byToken.get(id) }))
}
