import { seqOf } from '../../core/seq.js'
import type { Entry } from '../../ledger/entry.js'
import type { Pool } from '../../store/connection.js'
import { toEntries } from '../facts/entries.js'
import type { BatchFacts } from '../facts/registry.js'
import { createBatchFacts } from '../facts/registry.js'
import type { IdRegistry } from '../ids/id-registry.js'
import { writeFacts } from './fact-writer.js'
import { ensurePartitions } from './partitions.js'

export const FIRST_BLOCK = 2 ** 18 * 330 + 10
export const EXCHANGE = '0xe111180000d2663c0091e4f400237545b87b996b'
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

export const address = (index: number): string => `0x${hex(index + 1, 40)}`
export const word = (index: number): string => `0x${hex(index + 1, 64)}`
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

/** Facts of all kinds. A block has the same ones whatever batch it is in. */
export function testBatch(fromBlock: number, toBlock: number, seed = 1): BatchFacts {
  const facts = createBatchFacts()
  for (let block = fromBlock; block <= toBlock; block++) new TestBlock(facts, block, seed).write()
  return facts
}

/** Cuts a range of blocks into batches of these sizes, over and over. */
export function splitBlocks(
  fromBlock: number,
  toBlock: number,
  sizes: readonly number[],
): [from: number, to: number][] {
  const batches: [number, number][] = []
  for (let from = fromBlock; from <= toBlock; ) {
    const to = Math.min(toBlock, from + (sizes[batches.length % sizes.length] ?? 1) - 1)
    batches.push([from, to])
    from = to + 1
  }
  return batches
}

/** Resolves and writes a batch in one transaction, and returns its entries. */
export async function writeTestBatch(
  pool: Pool,
  ids: IdRegistry,
  facts: BatchFacts,
  journal = false,
): Promise<Entry[]> {
  const last = facts.blocks.at(-1)?.number ?? FIRST_BLOCK
  await pool.begin((tx) => ensurePartitions(tx, facts.blocks[0]?.number ?? FIRST_BLOCK, last, { bare: true }))
  return pool.begin(async (tx) => {
    await ids.resolve(tx, facts, { journal })
    await writeFacts(tx, facts, ids)
    return toEntries(tx, facts, ids)
  })
}

/** New names keep coming: the later a block, the more there are to choose from. */
class TestBlock {
  readonly #facts: BatchFacts
  readonly #block: number
  readonly #random: () => number
  readonly #age: number
  readonly #seed: number
  #log = 0

  constructor(facts: BatchFacts, block: number, seed: number) {
    this.#facts = facts
    this.#block = block
    this.#random = randomFrom(seed * 7919 + block)
    this.#age = block - FIRST_BLOCK + 3
    this.#seed = seed
  }

  write(): void {
    const timeSec = this.#timeSec
    const hash = word(this.#block * 1000 + this.#seed)
    this.#facts.blocks.push({ number: this.#block, hash, parentHash: undefined, timeSec })
    const writers = [
      this.#fill,
      this.#fill,
      this.#fill,
      this.#split,
      this.#split,
      this.#redemption,
      this.#conversion,
      this.#transfers,
      this.#money,
      this.#question,
      this.#rest,
    ]
    const facts = this.#below(12)
    for (let index = 0; index < facts; index++) {
      writers[this.#below(writers.length)]?.call(this)
      this.#log += 1 + this.#below(5)
    }
    this.#supplies()
  }

  get #timeSec(): number {
    return 1_700_000_000 + this.#block * 2
  }

  get #origin() {
    const seq = seqOf(this.#block, this.#log)
    return { seq, timeSec: this.#timeSec, txHash: word(seq) }
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count)
  }

  #wallet = () => address(this.#below(this.#age * 3))
  #condition = () => this.#below(this.#age)
  #amount = () => BigInt(1 + this.#below(1e9))
  #maybe = <T>(value: T): T | undefined => (this.#below(2) === 0 ? value : undefined)

  /** Two tokens; one condition in three has a second set of them. */
  #tokens(condition: number): string[] {
    const set = condition % 3 === 0 && this.#below(4) === 0 ? 500_000 : 0
    return [word(set + condition * 2), word(set + condition * 2 + 1)]
  }

  #token = () => this.#tokens(this.#condition())[this.#below(2)] ?? word(0)

  #fill(): void {
    const isTaker = this.#below(2) === 0
    this.#facts.fills.push({
      ...this.#origin,
      orderHash: word(this.#below(1e9)),
      wallet: this.#wallet(),
      taker: isTaker ? EXCHANGE : this.#wallet(),
      exchange: EXCHANGE,
      generation: 2,
      negRisk: this.#below(2) === 0,
      isTaker,
      side: this.#below(2) === 0 ? 'BUY' : 'SELL',
      token: this.#token(),
      usd: this.#amount(),
      shares: this.#amount(),
      fee: this.#amount(),
      isFeeInShares: this.#below(2) === 0,
      builder: this.#maybe(word(900_000 + this.#below(this.#age))),
      metadata: this.#maybe(word(this.#below(1e9))),
    })
  }

  #split(): void {
    const condition = this.#condition()
    const tokens = this.#tokens(condition)
    const isKnown = this.#below(5) > 0
    this.#facts.splits.push({
      ...this.#origin,
      isMerge: this.#below(2) === 0,
      wallet: this.#wallet(),
      condition: word(700_000 + condition),
      tokens: isKnown ? tokens : [],
      amount: this.#amount(),
      isCore: this.#below(2) === 0,
      isUser: this.#below(2) === 0,
    })
    if (!isKnown) return
    const { seq } = this.#origin
    this.#facts.outcomes.push({ seq, condition: word(700_000 + condition), tokens })
  }

  #redemption(): void {
    const condition = this.#condition()
    const tokens = this.#tokens(condition).slice(0, this.#below(3))
    if (this.#below(2) === 0) {
      const { seq, timeSec, txHash } = this.#origin
      const payouts = [BigInt(this.#below(2)), 2n ** 255n]
      this.#facts.resolutions.push({
        seq,
        timeSec,
        txHash,
        condition: word(700_000 + condition),
        payouts,
      })
      this.#log++
    }
    this.#facts.redemptions.push({
      ...this.#origin,
      wallet: this.#wallet(),
      condition: word(700_000 + condition),
      tokens,
      amounts: tokens.map(() => this.#amount()),
      payout: this.#amount(),
      outcomes: tokens.length > 1 ? 3 : 1,
      isCore: this.#below(2) === 0,
      isUser: this.#below(2) === 0,
      source: this.#below(2) === 0 ? 'direct' : 'auto_redeemer',
    })
  }

  #conversion(): void {
    this.#facts.conversions.push({
      ...this.#origin,
      wallet: this.#wallet(),
      market: word(this.#condition()),
      indexSet: word(this.#below(100)),
      amount: this.#amount(),
      given: [this.#token(), this.#token()],
      taken: [this.#token()],
      received: this.#amount(),
      cash: this.#amount(),
    })
    this.#log++
    this.#facts.migrations.push({
      ...this.#origin,
      wallet: this.#wallet(),
      fromToken: this.#token(),
      toToken: this.#token(),
      amount: this.#amount(),
    })
  }

  #transfers(): void {
    for (let sub = 0; sub <= this.#below(4); sub++) {
      this.#facts.transfers.push({
        ...this.#origin,
        sub,
        from: this.#maybe(this.#wallet()) ?? ZERO_ADDRESS,
        to: this.#wallet(),
        token: this.#token(),
        amount: this.#amount(),
        isInternal: this.#below(2) === 0,
        bearsCost: sub % 2 === 0,
      })
    }
  }

  #supplies(): void {
    for (const token of new Set([this.#token(), this.#token()])) {
      const { minted, burned } = { minted: this.#amount(), burned: this.#amount() }
      this.#facts.supplies.push({ block: this.#block, token, minted, burned })
    }
  }

  #money(): void {
    const { seq, timeSec, txHash } = this.#origin
    const wallet = this.#wallet()
    const token = this.#maybe(this.#token())
    this.#facts.fees.push({ seq, txHash, kind: 'charged', wallet, token, amount: this.#amount() })
    this.#facts.flows.push({
      seq,
      timeSec,
      txHash,
      kind: 'perps_deposit',
      from: ZERO_ADDRESS,
      to: wallet,
      asset: EXCHANGE,
      ramp: this.#maybe(wallet),
      amount: this.#amount(),
    })
  }

  #question(): void {
    const { seq, timeSec, txHash } = this.#origin
    const condition = word(700_000 + this.#condition())
    const question = word(this.#below(1e6))
    const oracle = this.#wallet()
    this.#facts.preparations.push({ seq, txHash, condition, oracle, question, outcomes: 2 })
    this.#facts.oracle.push({
      seq,
      timeSec,
      txHash,
      kind: 'proposed',
      contract: oracle,
      question: this.#maybe(question),
      requestTimeSec: this.#maybe(timeSec),
      actor: this.#maybe(this.#wallet()),
      proposer: this.#maybe(this.#wallet()),
      price: this.#maybe(-(2n ** 255n)),
      payouts: this.#maybe([0n, 1n]),
      expirationSec: this.#maybe(timeSec + 7_200),
    })
    const market = word(this.#below(1e6))
    this.#facts.negRiskMarkets.push({ seq, txHash, market, oracle, feeBips: 12 })
    this.#facts.negRiskQuestions.push({ seq, txHash, market, question, index: 255 })
  }

  #rest(): void {
    const { seq, timeSec, txHash } = this.#origin
    const condition = word(700_000 + this.#condition())
    this.#facts.combos.push({ seq, txHash, condition, legs: [word(1), word(2)] })
    this.#facts.comboEvents.push({
      seq,
      timeSec,
      txHash,
      kind: 'a\\b\tc\n"é"',
      contract: this.#wallet(),
      wallet: this.#wallet(),
      condition: this.#maybe(condition),
      tokens: [this.#token()],
      amount: this.#amount(),
      payout: this.#maybe(this.#amount()),
    })
    const owner = { seq, wallet: this.#wallet(), owner: this.#wallet() }
    this.#facts.walletOwners.push({ ...owner, kind: 'safe' })
    const log = {
      seq,
      txHash,
      contract: this.#wallet(),
      topics: [word(1), word(2)],
      data: '0x00ff',
    }
    this.#facts.rawLogs.push({ ...log, kind: 'unknown' })
    this.#facts.quarantine.push({ ...log, reason: 'inconsistent', detail: 'a\0b' })
  }
}

/** Mulberry32: the same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
