import { transactionTarget } from '../contracts/targets.js'
import type { Act } from './acts.js'
import type { Block, Transaction } from './block.js'
import type { Chain } from './chain.js'
import type { Engine } from './engine.js'
import { unknownAddress } from './oracle.js'
import { hash32 } from './random.js'
import type { Wallet } from './wallet.js'

/** The rest goes to block producers privately and appears in the block only. */
const SEEN_PENDING_SHARE = 0.92
const PENDING_MS_MIN = 1_000
const PENDING_MS_SPREAD = 2_000
const OPERATORS = Array.from({ length: 512 }, (_, index) => unknownAddress(`operator:${index}`))
const RELAYERS = Array.from({ length: 32 }, (_, index) => unknownAddress(`relayer:${index}`))
const NOTHING: readonly Transaction[] = []

/** Makes blocks of what the engine lets happen. */
export class BlockMaker {
  readonly #seed: number
  readonly #chain: Chain
  readonly #engine: Engine

  constructor(seed: number, chain: Chain, engine: Engine) {
    this.#seed = seed
    this.#chain = chain
    this.#engine = engine
  }

  make(number: number, branch: number): Block {
    const timestampSec = this.#chain.timestampSec(number)
    const fromSec = this.#chain.timestampSec(number - 1)
    const acts = this.#engine.live({ number, branch, fromSec, toSec: timestampSec })
    const transactions =
      acts.length === 0
        ? NOTHING
        : acts.map((act, index) => this.#transaction(act, { number, branch, index }, timestampSec))
    return { number, branch, timestampSec, transactions }
  }

  undo({ transactions }: Block): void {
    this.#engine.undo(transactions.map(({ act }) => act))
  }

  #transaction(act: Act, position: TransactionPosition, timestampSec: number): Transaction {
    const chance = hash32(this.#seed, position.number, position.branch, position.index)
    const isSeen = (chance & 0xffff) / 0x10000 < SEEN_PENDING_SHARE
    const leadMs = PENDING_MS_MIN + ((chance >>> 16) % PENDING_MS_SPREAD)
    const pendingMs = isSeen ? timestampSec * 1000 - leadMs : undefined
    return new MadeTransaction(this.#chain, act, position, chance, pendingMs)
  }
}

type TransactionPosition = { number: number; branch: number; index: number }

class MadeTransaction implements Transaction {
  readonly act: Act
  readonly pendingMs: number | undefined
  readonly #chain: Chain
  readonly #number: number
  readonly #branch: number
  readonly #index: number
  readonly #chance: number

  constructor(
    chain: Chain,
    act: Act,
    { number, branch, index }: TransactionPosition,
    chance: number,
    pendingMs: number | undefined,
  ) {
    this.act = act
    this.pendingMs = pendingMs
    this.#chain = chain
    this.#number = number
    this.#branch = branch
    this.#index = index
    // One bit less keeps it a small integer, which takes no memory of its own.
    this.#chance = chance >>> 2
  }

  get hash(): string {
    return this.#chain.transactionHash(this.#number, this.#branch, this.#index)
  }

  get from(): string {
    return senderOf(this.act, this.#chance)
  }

  get to(): string {
    return transactionTarget(this.act)
  }

  get nonce(): number {
    return (this.#number % 1_000_000) * 8 + (this.#index % 8)
  }
}

/** Operators settle matches; relayers carry what people with contract wallets do. */
function senderOf(act: Act, chance: number): string {
  if (act.kind === 'match') return OPERATORS[chance % OPERATORS.length] ?? ''
  const wallet: Wallet | undefined = 'wallet' in act ? act.wallet : undefined
  if (wallet?.kind === 'eoa') return wallet.owner
  return RELAYERS[chance % RELAYERS.length] ?? ''
}
