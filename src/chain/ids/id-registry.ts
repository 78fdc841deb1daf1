import { blockOf } from '../../core/seq.js'
import { isCombo } from '../../core/structured-id.js'
import { type Entry, NONE } from '../../ledger/entry.js'
import type { Pool, Sql } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import type { IdLookup } from '../facts/fact-kind.js'
import type { OutcomesFact } from '../facts/outcomes.js'
import { addReferences, type BatchFacts, idsOfEntry } from '../facts/registry.js'
import { type IdLimits, IdMemory } from './id-memory.js'
import { type IdReferences, References } from './id-references.js'
import {
  byIdTable,
  type FoundId,
  ID_TABLES,
  type IdTable,
  insertIds,
  insertOutcomeJournal,
  type LastIds,
  lockIds,
  lowerSince,
  lowerStatedIn,
  type NewId,
  selectConditionsOf,
  selectIds,
  selectLastIds,
  selectTokens,
  selectTokensOf,
  type TokenOutcome,
  type TokenRow,
  updateOutcomes,
} from './queries.js'

/** Ids that came into being with a batch: no other row in the database has them yet. */
type CreatedIds = { wallets: number[]; tokens: number[] }
type NewIds = Record<IdTable, NewId[]>

const LIMITS: IdLimits = { walletsMax: 75_000, tokensMax: 50_000 }

/**
 * Gives wallets, tokens, conditions and builders their integer ids. After a `resolve` everything
 * that the batch names is in memory until the next one. A transaction that fails or takes blocks back
 * must be followed by `forget`. One instance serves the head (`resolve`) or older ranges
 * (`resolveEarly`), not both.
 */
export class IdRegistry implements IdLookup {
  readonly #limits: IdLimits
  readonly #memory = new IdMemory()
  /** The highest ids when this instance last created some. */
  #lastIds: LastIds | undefined
  #earlyFrom = 0

  constructor(limits: Partial<IdLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  /** Numbers what is new in the order of the chain. `journal`: so that a reorganisation can undo it. */
  async resolve(tx: Sql, batch: BatchFacts, { journal }: { journal: boolean }): Promise<CreatedIds> {
    const references = this.#collect(batch, batch.blocks[0]?.number ?? 0)
    if (!isEmpty(references)) await this.#find(tx, references)
    const isComplete = isEmpty(references)
    if (isComplete && !batch.outcomes.some((fact) => this.#memory.isNew(fact))) {
      return { wallets: [], tokens: [] }
    }
    // Sent in this order, and without waiting in between.
    const [, last] = await Promise.all([lockIds(tx), selectLastIds(tx)])
    // If no other process created ids since this one did, what was not found is not there.
    if (!isComplete && !areSame(last, this.#lastIds)) await this.#find(tx, references)
    const created = this.#create(references, last)
    const outcomes = await this.#insert(tx, created, batch.outcomes, last)
    if (journal) await insertOutcomeJournal(tx, outcomes.filter(isOlderThanStated(created, last)))
    this.#lastIds = byIdTable((table) => last[table] + created[table].length)
    return { wallets: created.wallets.map(idOf), tokens: created.tokens.map(idOf) }
  }

  /**
   * Numbers the ids of blocks that are older than all that may be reverted, in a transaction of its
   * own. Ids that exist become as old as these blocks: a reorganisation at the head, which another
   * process may be in the middle of, must not remove them.
   */
  async resolveEarly(pool: Pool, batch: BatchFacts): Promise<void> {
    const from = batch.blocks[0]?.number ?? this.#earlyFrom
    // Memory holds ids that are at least as old as the blocks that named them.
    if (from < this.#earlyFrom) this.forget()
    this.#earlyFrom = from
    try {
      await transact(pool, (tx) => this.#resolveEarly(tx, batch))
    } catch (error) {
      this.forget()
      throw error
    }
  }

  /** Makes `conditionOf` and `tokensOf` answer for stored entries, which come in the order of `seq`. */
  async resolveEntries(sql: Sql, entries: readonly Entry[]): Promise<void> {
    this.#memory.rotate(this.#limits, blockOf(entries[0]?.seq ?? 0))
    const tokens = new Set<number>()
    const conditions = new Set<number>()
    for (const entry of entries) {
      const ids = idsOfEntry(entry)
      for (const token of ids.tokens) tokens.add(token)
      if (ids.condition !== undefined) conditions.add(ids.condition)
    }
    await this.#findOutcomes(sql, {
      tokens: [...tokens].filter((id) => !this.#memory.keepsConditionOf(id)),
      conditions: [...conditions].filter((id) => !this.#memory.keepsTokensOf(id)),
    })
  }

  wallet(address: string): number {
    return this.#memory.wallets.get(address) ?? unresolved(address)
  }

  token(token: string): number {
    return this.#memory.tokens.get(token) ?? unresolved(token)
  }

  condition(condition: string): number {
    return this.#memory.conditions.get(condition) ?? unresolved(condition)
  }

  builder(code: string): number {
    return this.#memory.builders.get(code) ?? unresolved(code)
  }

  isCombo(token: number): boolean {
    return this.#memory.isCombo(token)
  }

  /** NONE: no log has stated it yet, up to the end of the block if one is given. */
  conditionOf(token: number, block?: number): number {
    return this.#memory.conditionOf(token, block) ?? unresolved(`token ${token}`)
  }

  /** By outcome; empty until a log states them. */
  tokensOf(condition: number, block?: number): readonly number[] {
    return this.#memory.tokensOf(condition, block) ?? unresolved(`condition ${condition}`)
  }

  forget(): void {
    this.#memory.clear()
    this.#lastIds = undefined
  }

  async #resolveEarly(tx: Sql, batch: BatchFacts): Promise<void> {
    await lockIds(tx)
    const references = this.#collect(batch, Number.POSITIVE_INFINITY)
    const found = await this.#find(tx, references)
    const last = await selectLastIds(tx)
    await this.#insert(tx, this.#create(references, last), batch.outcomes, last)
    for (const table of ID_TABLES) await lowerSince(tx, table, found[table])
    const stated = batch.outcomes.flatMap(({ seq, condition: name, tokens }) => {
      const [condition, statedIn] = [this.condition(name), blockOf(seq)]
      return tokens.map((token) => ({ id: this.token(token), condition, statedIn }))
    })
    await lowerStatedIn(tx, stated)
  }

  /** The ids of a batch that are not in memory. Blocks below `bookedFrom` are not looked up any more. */
  #collect(batch: BatchFacts, bookedFrom: number): IdReferences {
    const memory = this.#memory
    memory.rotate(this.#limits, bookedFrom)
    const references = {
      wallets: new References((name) => memory.wallets.keep(name) !== undefined),
      tokens: new References((name) => memory.keepToken(name) !== undefined),
      conditions: new References((name) => memory.keepCondition(name) !== undefined),
      builders: new References((name) => memory.builders.keep(name) !== undefined),
    }
    addReferences(batch, references)
    return references
  }

  /** Brings into memory what the database has, takes it out of the references and returns it. */
  async #find(sql: Sql, references: IdReferences) {
    const memory = this.#memory
    const [wallets, conditions, builders, tokens] = await Promise.all([
      selectIds(sql, 'wallets', references.wallets.names()),
      selectIds(sql, 'conditions', references.conditions.names()),
      selectIds(sql, 'builders', references.builders.names()),
      selectTokens(sql, references.tokens.names()),
    ])
    const found = { wallets, conditions, builders, tokens }
    this.#setIds(found)
    const missing = conditions.map(idOf).filter((id) => !memory.keepsTokensOf(id))
    await this.#findSets(sql, [...missing, ...this.#setConditions(tokens)])
    return byIdTable((table) =>
      found[table].map(({ name, id }) => ({ id, since: references[table].take(name)?.seq ?? 0 })),
    )
  }

  /** Brings into memory, again if they are there, the conditions of tokens and the tokens of conditions. */
  async #findOutcomes(
    sql: Sql,
    { tokens, conditions }: { tokens: readonly number[]; conditions: readonly number[] },
  ): Promise<void> {
    const rows = await selectConditionsOf(sql, tokens)
    await this.#findSets(sql, [...conditions, ...this.#setConditions(rows)])
  }

  /** Returns the conditions whose tokens are not in memory. */
  #setConditions(tokens: readonly TokenRow[]): number[] {
    const missing: number[] = []
    for (const { id, condition, statedIn, isCombo } of tokens) {
      if (isCombo) this.#memory.addCombo(id)
      this.#memory.setConditionOf(id, condition ?? NONE)
      if (statedIn !== null) this.#memory.setStatedIn(id, statedIn)
      if (condition !== null && !this.#memory.keepsTokensOf(condition)) missing.push(condition)
    }
    return missing
  }

  async #findSets(sql: Sql, conditions: readonly number[]): Promise<void> {
    const sets = new Map<number, number[]>(conditions.map((condition) => [condition, []]))
    for (const { condition, id, statedIn, isCombo } of await selectTokensOf(sql, [...sets.keys()])) {
      sets.get(condition)?.push(id)
      if (isCombo) this.#memory.addCombo(id)
      this.#memory.setStatedIn(id, statedIn)
    }
    for (const [condition, tokens] of sets) this.#memory.setTokensOf(condition, tokens)
  }

  /** Numbers what is left of the references, and brings it into memory. */
  #create(references: IdReferences, last: LastIds): NewIds {
    const created = byIdTable((table) => {
      const left = references[table].takeAll()
      return left.map(({ name, seq }, index) => ({ name, id: last[table] + 1 + index, since: seq }))
    })
    this.#setIds(created)
    for (const { id } of created.conditions) this.#memory.setTokensOf(id, [])
    for (const { id, name } of created.tokens) {
      if (isCombo(name)) this.#memory.addCombo(id)
      this.#memory.setConditionOf(id, NONE)
    }
    return created
  }

  #setIds(found: Record<IdTable, readonly FoundId[]>): void {
    for (const table of ID_TABLES) for (const { name, id } of found[table]) this.#memory[table].set(name, id)
  }

  /** Writes the new ids and which tokens belong to which conditions; returns the latter. */
  async #insert(
    tx: Sql,
    created: NewIds,
    facts: readonly OutcomesFact[],
    last: LastIds,
  ): Promise<TokenOutcome[]> {
    const news = facts.filter((fact) => this.#memory.isNew(fact))
    const tokens = new Set(news.flatMap((fact) => fact.tokens.map((token) => this.token(token))))
    const conditions = new Set(news.map((fact) => this.condition(fact.condition)))
    // Another process may have written some of it meanwhile.
    await this.#findOutcomes(tx, {
      tokens: [...tokens].filter((id) => id <= last.tokens),
      conditions: [...conditions].filter((id) => id <= last.conditions),
    })
    const outcomes = news.flatMap((fact) => this.#memory.learn(fact))
    await Promise.all([
      insertIds(tx, created, outcomes),
      updateOutcomes(
        tx,
        outcomes.filter(({ id }) => id <= last.tokens),
      ),
    ])
    return outcomes
  }
}

const idOf = ({ id }: { id: number }): number => id

const isEmpty = (references: IdReferences): boolean =>
  ID_TABLES.every((table) => references[table].size === 0)

const areSame = (a: LastIds, b: LastIds | undefined): boolean =>
  b !== undefined && ID_TABLES.every((table) => a[table] === b[table])

/** A token that is as new as what was stated of it goes with its row; all others need a journal. */
const isOlderThanStated =
  ({ tokens }: NewIds, last: LastIds) =>
  ({ id, statedIn }: TokenOutcome): boolean => {
    const since = tokens[id - last.tokens - 1]?.since
    return since === undefined || blockOf(since) < statedIn
  }

function unresolved(name: string): never {
  throw new Error(`${name} was not resolved`)
}
