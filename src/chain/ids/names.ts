import { blockOf } from '../../core/seq.js'
import { type Entry, NONE } from '../../ledger/entry.js'
import type { Pool, Sql } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import type { FillFact, OutcomesFact, Tape } from '../attribute/tape.js'
import { idsOf } from './entry-ids.js'
import type { FillIds } from './fill-ids.js'
import { findNames, findOutcomes } from './find-names.js'
import { type NameLimits, NameMemory } from './name-memory.js'
import {
  type LastIds,
  lockNames,
  lowerSince,
  lowerTold,
  NAME_TABLES,
  selectLastIds,
  type ToldToken,
} from './name-queries.js'
import { journalTold, lastIdsAfter, numberNames, writeNames } from './new-names.js'
import { seeNames, Unseen, type UnseenNames } from './sightings.js'

/** Numbers that came into being with a tape: nothing else in the database has them yet. */
type NewIds = { wallets: number[]; tokens: number[] }

const LIMITS: NameLimits = { walletsMax: 75_000, tokensMax: 50_000 }

/**
 * Numbers of wallets, tokens, conditions and builders. After a `resolve` everything of that tape is
 * in memory until the next one. A transaction that fails or takes blocks back must be followed by
 * `forget`. One instance serves the head (`resolve`) or older ranges (`resolveEarly`), not both.
 */
export class Names {
  readonly #limits: NameLimits
  readonly #memory = new NameMemory()
  /** The highest numbers when this instance last gave some. */
  #lastIds: LastIds | undefined
  #earlyFrom = 0
  /** Live as long as the fills do. */
  #fillIds = new WeakMap<readonly FillFact[], FillIds>()

  constructor(limits: Partial<NameLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  /** Numbers what is new in the order of the chain. `journal`: so that a reorganisation can undo it. */
  async resolve(tx: Sql, tape: Tape, { journal }: { journal: boolean }): Promise<NewIds> {
    const unseen = this.#see(tape, tape.blocks[0]?.number ?? 0)
    if (sizeOf(unseen) > 0) await findNames(tx, this.#memory, unseen)
    const isNamed = sizeOf(unseen) === 0
    if (isNamed && !tape.outcomes.some((fact) => this.#memory.isNews(fact))) {
      this.#completeFills(tape)
      return { wallets: [], tokens: [] }
    }
    // In this order on their way, and without waiting in between.
    const [, last] = await Promise.all([lockNames(tx), selectLastIds(tx)])
    // Where nobody else gave numbers since we did, what was not found is not there.
    if (!isNamed && !areSame(last, this.#lastIds)) await findNames(tx, this.#memory, unseen)
    const named = numberNames(this.#memory, unseen, last)
    const told = await this.#tell(tx, tape.outcomes, last)
    await writeNames(tx, named, told, last)
    if (journal) await journalTold(tx, named, told, last)
    this.#lastIds = lastIdsAfter(last, named)
    this.#completeFills(tape)
    return { wallets: named.wallets.map(idOf), tokens: named.tokens.map(idOf) }
  }

  /**
   * Numbers the names of blocks that are older than all that may be taken back, in a transaction of
   * its own. Names that exist become as old as these blocks: a reorganisation at the head, which
   * another process may be in the middle of, must not take them away.
   */
  async resolveEarly(pool: Pool, tape: Tape): Promise<void> {
    const from = tape.blocks[0]?.number ?? this.#earlyFrom
    // Memory holds names that are at least as old as where they were seen.
    if (from < this.#earlyFrom) this.forget()
    this.#earlyFrom = from
    try {
      await transact(pool, (tx) => this.#resolveEarly(tx, tape))
    } catch (error) {
      this.forget()
      throw error
    }
  }

  /** Makes `conditionOf` and `tokensOf` answer for stored entries, which come in the order of `seq`. */
  async resolveEntries(sql: Sql, entries: readonly Entry[]): Promise<void> {
    this.#memory.turn(this.#limits, blockOf(entries[0]?.seq ?? 0))
    const { tokens, conditions } = idsOf(entries)
    await findOutcomes(sql, this.#memory, {
      tokens: [...tokens].filter((id) => !this.#memory.keepsConditionOf(id)),
      conditions: [...conditions].filter((id) => !this.#memory.keepsTokensOf(id)),
    })
  }

  wallet(address: string): number {
    return this.#memory.wallets.get(address) ?? unresolved(address)
  }

  token(word: string): number {
    return this.#memory.token(word) ?? unresolved(word)
  }

  condition(word: string): number {
    return this.#memory.condition(word) ?? unresolved(word)
  }

  builder(code: string): number {
    return this.#memory.builders.get(code) ?? unresolved(code)
  }

  fillIds(fills: readonly FillFact[]): FillIds {
    return this.#fillIds.get(fills) ?? unresolved('the tape')
  }

  /** NONE: nothing has told yet, up to the end of the block if one is given. */
  conditionOf(token: number, block?: number): number {
    return this.#memory.conditionOf(token, block) ?? unresolved(`token ${token}`)
  }

  /** By outcome; empty until something has told. */
  tokensOf(condition: number, block?: number): readonly number[] {
    return this.#memory.tokensOf(condition, block) ?? unresolved(`condition ${condition}`)
  }

  forget(): void {
    this.#memory.clear()
    this.#fillIds = new WeakMap()
    this.#lastIds = undefined
  }

  async #resolveEarly(tx: Sql, tape: Tape): Promise<void> {
    await lockNames(tx)
    const unseen = this.#see(tape, Number.POSITIVE_INFINITY)
    const found = await findNames(tx, this.#memory, unseen)
    const last = await selectLastIds(tx)
    const named = numberNames(this.#memory, unseen, last)
    const told = await this.#tell(tx, tape.outcomes, last)
    await writeNames(tx, named, told, last)
    for (const table of NAME_TABLES) {
      if (found[table].length > 0) await lowerSince(tx, table, found[table])
    }
    const tellings = tape.outcomes.flatMap(({ seq, condition, tokens }) => {
      const about = { condition: this.condition(condition), told: blockOf(seq) }
      return tokens.map((word) => ({ ...about, id: this.token(word) }))
    })
    if (tellings.length > 0) await lowerTold(tx, tellings)
    this.#completeFills(tape)
  }

  /** No block below `bookedFrom` will ask what it knows. */
  #see(tape: Tape, bookedFrom: number): UnseenNames {
    const memory = this.#memory
    memory.turn(this.#limits, bookedFrom)
    const unseen = {
      wallets: new Unseen((name) => memory.wallets.keep(name)),
      tokens: new Unseen((name) => memory.keepToken(name)),
      conditions: new Unseen((name) => memory.keepCondition(name)),
      builders: new Unseen((name) => memory.builders.keep(name)),
    }
    this.#fillIds.set(tape.fills, seeNames(tape, unseen))
    return unseen
  }

  /** Learns which tokens belong to which conditions. Another process may have told meanwhile. */
  async #tell(tx: Sql, outcomes: readonly OutcomesFact[], last: LastIds): Promise<ToldToken[]> {
    const news = outcomes.filter((fact) => this.#memory.isNews(fact))
    const tokens = new Set(news.flatMap((fact) => fact.tokens.map((word) => this.token(word))))
    const conditions = new Set(news.map((fact) => this.condition(fact.condition)))
    await findOutcomes(tx, this.#memory, {
      tokens: [...tokens].filter((id) => id <= last.tokens),
      conditions: [...conditions].filter((id) => id <= last.conditions),
    })
    return news.flatMap((fact) => this.#memory.learn(fact))
  }

  /** Fills in what was not in memory when the fills were seen. */
  #completeFills({ fills }: Tape): void {
    const ids = this.fillIds(fills)
    for (let index = 0; index < fills.length; index++) {
      const fill = fills[index]
      if (fill === undefined || ids.isComplete(index)) continue
      ids.set(
        index,
        this.wallet(fill.wallet),
        this.wallet(fill.taker),
        this.wallet(fill.exchange),
        this.token(fill.token),
        fill.builder === undefined ? NONE : this.builder(fill.builder),
      )
    }
  }
}

const idOf = ({ id }: { id: number }): number => id

const sizeOf = ({ wallets, tokens, conditions, builders }: UnseenNames): number =>
  wallets.size + tokens.size + conditions.size + builders.size

const areSame = (a: LastIds, b: LastIds | undefined): boolean =>
  b !== undefined && NAME_TABLES.every((table) => a[table] === b[table])

function unresolved(name: string): never {
  throw new Error(`${name} was not resolved`)
}
