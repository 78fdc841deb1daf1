import type { Match } from './acts.js'
import type { Block, Transaction } from './block.js'
import { BlockMaker } from './block-maker.js'
import { Books } from './books.js'
import { Catalogue } from './catalogue.js'
import { Chain, OLD_ERA_END_MS, OLD_ERA_START_MS } from './chain.js'
import { type Bursts, Engine } from './engine.js'
import { Fair } from './fair.js'
import { COMBO_SHARE } from './floor.js'
import { BLOCKS_AHEAD, Forthcoming } from './forthcoming.js'
import type { Game, GameState } from './games/game.js'
import { gameStateAt } from './games/game-state.js'
import { Ledger } from './ledger.js'
import type { Combo, Market, MarketEvent, Payouts } from './market.js'
import { Population } from './population.js'
import { Prices } from './prices.js'
import { Quotes } from './quotes.js'
import { hash32 } from './random.js'
import { SettledActs } from './settled-acts.js'
import type { Builder, Wallet } from './wallet.js'

const DAY_MS = 86_400_000
/** Traders who are not there from the beginning join within this time. */
const JOINING_MS = 3 * DAY_MS
export const REORG_DEPTH_MAX = 128
/**
 * How often the chain replaces its last blocks by itself, and how many: one that readers have seen, and
 * none that is finalized.
 */
const OWN_REORG_SEC = 240
const OWN_REORG_DEPTHS = [2, 3]

type UniverseEvents = {
  /** A whole second is over: its oracle prices exist. */
  second: (atMs: number) => void
  /** Orders were paired; the block that settles it comes about three seconds later. */
  matched: (tx: Transaction, match: Match) => void
  /** A node shows the transaction as pending. */
  pending: (tx: Transaction) => void
  /** A block became the head. */
  block: (block: Block) => void
  /** Blocks were reverted, the newest first; `block` follows for each that replaces them. */
  reorg: (removed: readonly Block[]) => void
  /** An event can be seen and traded. */
  created: (event: MarketEvent) => void
  /** The payouts of a market are on the chain. */
  resolved: (market: Market) => void
}

/** A replacement of the last blocks: how many, when the chain had which head. */
export type Reorg = { head: number; depth: number }

export type UniverseOptions = {
  seed: number
  /** First moment of the history, after the half hour of the old era. Whole seconds. */
  startMs: number
  /** How much is traded; 1 is about 17,500 fills a day. */
  intensity?: number
  /** The same for the half hour of the old era; as much unless given. */
  oldEraIntensity?: number
  /** Absent: all blocks are alike. */
  bursts?: Bursts | undefined
  /** When the history ends. More happens for some hours after it. */
  presentMs?: number
  /** Share of trades that go to combos, and with it how many combos there are. */
  comboShare?: number
  /** Whether games are played. */
  hasGames?: boolean
  /** Whether the chain replaces its last blocks by itself now and then, in its lively hours. */
  hasReorgs?: boolean
  /** Replacements of an earlier life, to be lived again. */
  reorgs?: readonly Reorg[]
}

/** The whole simulated world. Its options decide everything that ever happens in it. */
export class Universe {
  readonly seed: number
  readonly startMs: number
  readonly prices: Prices
  readonly catalogue: Catalogue
  readonly chain: Chain
  readonly settledActs: SettledActs
  readonly books: Books
  readonly reorgs: Reorg[] = []
  readonly #fair: Fair
  readonly #population: Population
  readonly #maker: BlockMaker
  /** Trades are decided ahead of time; the books move when their matches are emitted. */
  readonly #shownQuotes: Quotes
  readonly #forthcoming: Forthcoming
  readonly #listeners = new Listeners<UniverseEvents>()
  readonly #planned: Reorg[]
  readonly #hasReorgs: boolean
  readonly #engine: Engine
  #branch = 0
  #nowMs: number

  constructor(options: UniverseOptions) {
    const {
      seed,
      startMs,
      presentMs,
      intensity = 1,
      oldEraIntensity = intensity,
      bursts,
      comboShare = COMBO_SHARE,
    } = options
    if (startMs < OLD_ERA_END_MS) {
      const earliest = new Date(OLD_ERA_END_MS).toISOString()
      throw new RangeError(`a universe cannot begin before ${earliest}`)
    }
    this.seed = seed
    this.startMs = startMs
    this.#nowMs = OLD_ERA_START_MS
    this.prices = new Prices(seed)
    this.catalogue = new Catalogue({
      seed,
      startMs,
      presentMs,
      v1StartMs: OLD_ERA_START_MS,
      prices: this.prices,
      hasGames: options.hasGames ?? false,
    })
    this.chain = new Chain(seed, startMs)
    this.#fair = new Fair(seed, this.prices)
    this.#population = new Population(seed, startMs, JOINING_MS)
    this.#planned = [...(options.reorgs ?? [])]
    const quotes = new Quotes(this.#fair)
    this.#shownQuotes = new Quotes(this.#fair)
    this.books = new Books(seed, this.#shownQuotes, {
      nowMs: () => this.#nowMs,
      lastPriceE4: (of) => this.settledActs.lastPriceE4(of),
    })
    const ledger = new Ledger()
    this.#hasReorgs = options.hasReorgs ?? false
    this.#engine = new Engine({
      seed,
      intensity,
      oldEraIntensity,
      bursts,
      comboShare,
      startMs,
      presentMs,
      catalogue: this.catalogue,
      population: this.#population,
      fair: this.#fair,
      quotes,
      ledger,
    })
    this.#maker = new BlockMaker(seed, this.chain, this.#engine)
    this.#forthcoming = new Forthcoming(this.#maker)
    this.settledActs = new SettledActs(ledger, this.#forthcoming.ledger)
    this.#decideAhead(this.chain.firstNumber - 1)
  }

  /** The present of the universe. */
  get nowMs(): number {
    return this.#nowMs
  }

  get wallets(): readonly Wallet[] {
    return this.#population.wallets
  }

  get builders(): readonly Builder[] {
    return this.#population.builders
  }

  /** Those whose main event can be seen, in the order in which they came up. */
  games(): readonly Game[] {
    return this.catalogue.games()
  }

  /** How the game stands now. */
  gameState(game: Game): GameState {
    return gameStateAt(game, this.#nowMs)
  }

  /** By lower-case address. */
  walletByAddress(address: string): Wallet | undefined {
    return this.#population.byAddress(address)
  }

  /** The wallet whose key is that lower-case address. */
  walletByOwner(owner: string): Wallet | undefined {
    return this.#population.byOwner(owner)
  }

  on<Name extends keyof UniverseEvents>(name: Name, listener: UniverseEvents[Name]): () => void {
    return this.#listeners.on(name, listener)
  }

  /** Probability of outcome 0 at that moment, from the prices alone, strictly between 0 and 1. */
  fairAt(of: Market | Combo, atMs: number): number {
    return this.#fair.at(of, atMs)
  }

  /** Payouts once they are on the chain. */
  payouts(of: Market | Combo): Payouts | undefined {
    const isResolved = of.resolvesMs <= this.chain.head.timestampSec * 1000
    return isResolved ? this.#fair.truth(of) : undefined
  }

  /** Moves the present on to that moment: shows blocks and calls listeners. */
  advance(toMs: number): void {
    for (;;) {
      const next = this.#forthcoming.nextBlock
      if (next === undefined || next.timestampSec * 1000 > toMs) break
      this.#emitUntil(next.timestampSec * 1000)
      this.#showNext()
      this.#forthcoming.decide(next.number + BLOCKS_AHEAD, this.#branch)
      this.#reorgByItself()
      this.#repeatReorgs()
    }
    this.#emitUntil(toMs)
  }

  /** Replaces the last `depth` blocks by as many others, with other contents. */
  reorg(depth: number): void {
    this.reorgs.push({ head: this.chain.head.number, depth })
    this.#replaceLast(depth)
  }

  #replaceLast(depth: number): void {
    const { head, firstNumber } = this.chain
    const count = Math.min(depth, REORG_DEPTH_MAX, head.number - firstNumber)
    for (const { transactions } of this.#forthcoming.drop()) {
      for (const tx of transactions) this.chain.dropPending(tx)
    }
    const removed: Block[] = []
    for (let n = 0; n < count; n++) removed.push(this.#revertLast())
    this.#branch++
    this.#listeners.emit('reorg', removed)
    for (let number = head.number - count + 1; number <= head.number; number++) {
      this.#forthcoming.decide(number, this.#branch)
      this.#showNext()
    }
    // The matches of blocks that are shown already are known from the blocks.
    this.#forthcoming.forgetNews()
    this.#decideAhead(head.number)
  }

  #decideAhead(shown: number): void {
    for (let ahead = 1; ahead <= BLOCKS_AHEAD; ahead++) {
      this.#forthcoming.decide(shown + ahead, this.#branch)
    }
  }

  /** Not among `reorgs`: they follow from the seed, and every life has the same. */
  #reorgByItself(): void {
    const { head } = this.chain
    const before = this.chain.block(head.number - 1)
    if (!this.#hasReorgs || before === undefined || !this.#engine.isLively(head.timestampSec * 1000)) return
    const spanOf = ({ timestampSec }: Block) => Math.floor(timestampSec / OWN_REORG_SEC)
    if (spanOf(head) === spanOf(before)) return
    const depths = OWN_REORG_DEPTHS
    this.#replaceLast(depths[hash32(this.seed, head.number) % depths.length] ?? 0)
  }

  /** There may have been several while the chain had this head. */
  #repeatReorgs(): void {
    for (;;) {
      const [next] = this.#planned
      if (next?.head !== this.chain.head.number) return
      this.#planned.shift()
      this.reorg(next.depth)
    }
  }

  #revertLast(): Block {
    const block = this.chain.removeHead()
    this.settledActs.remove(block)
    this.#maker.undo(block)
    return block
  }

  #showNext(): void {
    const block = this.#forthcoming.takeBlock()
    if (block === undefined) return
    this.#nowMs = Math.max(this.#nowMs, block.timestampSec * 1000)
    this.chain.append(block)
    this.settledActs.append(block)
    for (const event of this.catalogue.publish(this.#nowMs)) this.#listeners.emit('created', event)
    this.#listeners.emit('block', block)
    for (const { act } of block.transactions) {
      if (act.kind !== 'resolve') continue
      this.#shownQuotes.forget(act.market)
      this.#listeners.emit('resolved', act.market)
    }
  }

  /** Emits seconds, matches and pending transactions up to that moment, in the order of their times. */
  #emitUntil(toMs: number): void {
    for (;;) {
      const secondMs = this.#listeners.has('second')
        ? (Math.floor(this.#nowMs / 1000) + 1) * 1000
        : Number.POSITIVE_INFINITY
      const newsMs = this.#forthcoming.nextNews?.atMs ?? Number.POSITIVE_INFINITY
      if (Math.min(secondMs, newsMs) > toMs) break
      if (newsMs < secondMs) this.#emitNews()
      else {
        this.#nowMs = secondMs
        this.#listeners.emit('second', secondMs)
      }
    }
    this.#nowMs = Math.max(this.#nowMs, toMs)
  }

  #emitNews(): void {
    const news = this.#forthcoming.takeNews()
    if (news === undefined) return
    const { atMs, what, tx } = news
    this.#nowMs = Math.max(this.#nowMs, atMs)
    if (what === 'pending') {
      this.chain.addPending(tx)
      this.#listeners.emit('pending', tx)
    } else if (tx.act.kind === 'match') {
      this.#shownQuotes.push(tx.act)
      this.#listeners.emit('matched', tx, tx.act)
    }
  }
}

/** Listeners by the name of the event that they are called for. */
class Listeners<Events extends { [Name in keyof Events]: (...args: never[]) => void }> {
  readonly #byName = new Map<keyof Events, Set<Events[keyof Events]>>()

  /** Returns what ends it. */
  on<Name extends keyof Events>(name: Name, listener: Events[Name]): () => void {
    let listeners = this.#byName.get(name)
    if (listeners === undefined) {
      listeners = new Set()
      this.#byName.set(name, listeners)
    }
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  has(name: keyof Events): boolean {
    return (this.#byName.get(name)?.size ?? 0) > 0
  }

  emit<Name extends keyof Events>(name: Name, ...args: Parameters<Events[Name]>): void {
    const listeners = this.#byName.get(name) as Set<Events[Name]> | undefined
    for (const listener of listeners ?? []) listener(...args)
  }
}
