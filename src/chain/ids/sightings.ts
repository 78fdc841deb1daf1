import { LOGS_PER_BLOCK, seqOf } from '../../core/seq.js'
import { NONE } from '../../ledger/entry.js'
import type { FillFact, Tape } from '../attribute/tape.js'
import { FillIds, UNKNOWN } from './fill-ids.js'

/** A name that is not in memory, and where on the chain it was seen first. */
type Sighting = { name: string; seq: number; place: number }

/** Collects the names of one kind that memory does not have. */
export class Unseen {
  readonly #keep: (name: string) => number | undefined
  readonly #sightings = new Map<string, Sighting>()

  /** `keep` looks into memory, and keeps there what it finds. */
  constructor(keep: (name: string) => number | undefined) {
    this.#keep = keep
  }

  get size(): number {
    return this.#sightings.size
  }

  names(): string[] {
    return [...this.#sightings.keys()]
  }

  /** The number of the name, or UNKNOWN. `place` orders the names that share a `seq`. */
  see(name: string, seq: number, place: number): number {
    const id = this.#keep(name)
    if (id !== undefined) return id
    const sighting = this.#sightings.get(name)
    if (sighting === undefined) {
      this.#sightings.set(name, { name, seq, place })
    } else if (seq < sighting.seq || (seq === sighting.seq && place < sighting.place)) {
      sighting.seq = seq
      sighting.place = place
    }
    return UNKNOWN
  }

  /** Takes out one that was found elsewhere. */
  take(name: string): Sighting | undefined {
    const sighting = this.#sightings.get(name)
    this.#sightings.delete(name)
    return sighting
  }

  /** Takes all that is left, in the order of the chain. */
  takeAll(): Sighting[] {
    const sightings = [...this.#sightings.values()]
    this.#sightings.clear()
    return sightings.sort((a, b) => a.seq - b.seq || a.place - b.place)
  }
}

export type UnseenNames = {
  wallets: Unseen
  tokens: Unseen
  conditions: Unseen
  builders: Unseen
}

/** A list of a fact's names may be long: each list of facts has its own range of places. */
const PLACES = 2 ** 20

/**
 * Sees every name of a tape. The numbers that new names get follow from these places alone, whatever
 * the tape began with: to change a place is to change the numbers of the next history.
 */
export function seeNames(tape: Tape, unseen: UnseenNames): FillIds {
  seeSets(tape, unseen)
  seeTransfers(tape, unseen)
  seeMoney(tape, unseen)
  seeQuestions(tape, unseen)
  seeOthers(tape, unseen)
  return seeFills(tape.fills, unseen)
}

function seeFills(fills: readonly FillFact[], { wallets, tokens, builders }: UnseenNames): FillIds {
  const ids = new FillIds(fills)
  for (let index = 0; index < fills.length; index++) {
    const fill = fills[index] as FillFact
    const { seq, builder } = fill
    ids.set(
      index,
      wallets.see(fill.wallet, seq, 0),
      wallets.see(fill.taker, seq, 1),
      wallets.see(fill.exchange, seq, 2),
      tokens.see(fill.token, seq, 0),
      builder === undefined ? NONE : builders.see(builder, seq, 0),
    )
  }
  return ids
}

function seeSets(tape: Tape, { wallets, tokens, conditions }: UnseenNames): void {
  for (const split of tape.splits) {
    wallets.see(split.wallet, split.seq, PLACES)
    conditions.see(split.condition, split.seq, PLACES)
    seeList(tokens, split.tokens, split.seq, PLACES)
  }
  for (const redemption of tape.redemptions) {
    wallets.see(redemption.wallet, redemption.seq, 2 * PLACES)
    conditions.see(redemption.condition, redemption.seq, 2 * PLACES)
    seeList(tokens, redemption.tokens, redemption.seq, 2 * PLACES)
  }
  for (const conversion of tape.conversions) {
    wallets.see(conversion.wallet, conversion.seq, 3 * PLACES)
    seeList(tokens, conversion.given, conversion.seq, 3 * PLACES)
    seeList(tokens, conversion.taken, conversion.seq, 4 * PLACES)
  }
  for (const migration of tape.migrations) {
    wallets.see(migration.wallet, migration.seq, 5 * PLACES)
    tokens.see(migration.fromToken, migration.seq, 5 * PLACES)
    tokens.see(migration.toToken, migration.seq, 5 * PLACES + 1)
  }
  for (const outcomes of tape.outcomes) {
    conditions.see(outcomes.condition, outcomes.seq, 6 * PLACES)
    seeList(tokens, outcomes.tokens, outcomes.seq, 6 * PLACES)
  }
}

function seeTransfers({ transfers, supplies }: Tape, { wallets, tokens }: UnseenNames): void {
  for (const transfer of transfers) {
    const place = 7 * PLACES + 2 * transfer.sub
    wallets.see(transfer.from, transfer.seq, place)
    wallets.see(transfer.to, transfer.seq, place + 1)
    tokens.see(transfer.token, transfer.seq, place)
  }
  for (const [index, supply] of supplies.entries()) {
    tokens.see(supply.token, supplySeq(supply.block), 8 * PLACES + index)
  }
}

function seeMoney({ fees, flows }: Tape, { wallets, tokens }: UnseenNames): void {
  for (const fee of fees) {
    wallets.see(fee.wallet, fee.seq, 9 * PLACES)
    if (fee.token !== undefined) tokens.see(fee.token, fee.seq, 9 * PLACES)
  }
  for (const flow of flows) {
    wallets.see(flow.from, flow.seq, 10 * PLACES)
    wallets.see(flow.to, flow.seq, 10 * PLACES + 1)
    wallets.see(flow.asset, flow.seq, 10 * PLACES + 2)
  }
}

function seeQuestions(tape: Tape, { wallets, conditions }: UnseenNames): void {
  for (const preparation of tape.preparations) {
    wallets.see(preparation.oracle, preparation.seq, 11 * PLACES)
    conditions.see(preparation.condition, preparation.seq, 11 * PLACES)
  }
  for (const resolution of tape.resolutions) {
    conditions.see(resolution.condition, resolution.seq, 12 * PLACES)
  }
  for (const step of tape.oracle) {
    wallets.see(step.contract, step.seq, 13 * PLACES)
    if (step.actor !== undefined) wallets.see(step.actor, step.seq, 13 * PLACES + 1)
    if (step.proposer !== undefined) wallets.see(step.proposer, step.seq, 13 * PLACES + 2)
  }
  for (const market of tape.negRiskMarkets) {
    wallets.see(market.oracle, market.seq, 14 * PLACES)
  }
}

function seeOthers(tape: Tape, { wallets, tokens, conditions }: UnseenNames): void {
  for (const combo of tape.combos) conditions.see(combo.condition, combo.seq, 15 * PLACES)
  for (const event of tape.comboEvents) {
    wallets.see(event.contract, event.seq, 16 * PLACES)
    wallets.see(event.wallet, event.seq, 16 * PLACES + 1)
    if (event.condition !== undefined) conditions.see(event.condition, event.seq, 16 * PLACES)
    seeList(tokens, event.tokens, event.seq, 16 * PLACES)
  }
  for (const { wallet, owner, seq } of tape.walletOwners) {
    wallets.see(wallet, seq, 17 * PLACES)
    wallets.see(owner, seq, 17 * PLACES + 1)
  }
  for (const log of tape.rawLogs) wallets.see(log.contract, log.seq, 18 * PLACES)
}

function seeList(unseen: Unseen, names: readonly string[], seq: number, place: number): void {
  for (let index = 0; index < names.length; index++) {
    const name = names[index]
    if (name !== undefined) unseen.see(name, seq, place + index)
  }
}

/** What a block says as a whole stands behind all of its logs. */
export const supplySeq = (block: number): number => seqOf(block, LOGS_PER_BLOCK - 1)
