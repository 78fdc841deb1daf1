import { blockOf } from '../../core/seq.js'
import { NONE } from '../../ledger/entry.js'
import { GenerationMap, ownText } from '../../lib/generation-map.js'
import type { OutcomesFact } from '../facts/outcomes.js'
import type { TokenOutcome } from './queries.js'

export type IdLimits = { walletsMax: number; tokensMax: number }

/**
 * Integer ids in bounded memory. All generations rotate together, so that what belongs to an id is as
 * young as the id: its condition to a token, its tokens to a condition.
 */
export class IdMemory {
  readonly wallets = new GenerationMap<string, number>(ownText)
  readonly builders = new GenerationMap<string, number>(ownText)
  readonly tokens = new GenerationMap<string, number>(ownText)
  readonly conditions = new GenerationMap<string, number>(ownText)
  readonly #conditionOf = new GenerationMap<number, number>()
  readonly #tokensOf = new GenerationMap<number, readonly number[]>()
  /** Only the tokens that are combos. */
  readonly #combos = new GenerationMap<number, true>()
  /** The blocks that state the condition of tokens, where blocks before them may still be booked. */
  readonly #statedIn = new Map<number, number>()

  /** No block below this one comes any more. Begins a generation when the young one is full. */
  rotate({ walletsMax, tokensMax }: IdLimits, fromBlock: number): void {
    for (const [token, block] of this.#statedIn) {
      if (block <= fromBlock) this.#statedIn.delete(token)
    }
    if (this.wallets.size < walletsMax && this.#conditionOf.size < tokensMax) return
    for (const generations of this.#all()) generations.rotate()
  }

  clear(): void {
    for (const generations of this.#all()) generations.clear()
    this.#statedIn.clear()
  }

  /** As stated up to the end of a block; without a block as stated so far. */
  conditionOf(token: number, block = Number.POSITIVE_INFINITY): number | undefined {
    return this.#isStatedAfter(token, block) ? NONE : this.#conditionOf.get(token)
  }

  tokensOf(condition: number, block = Number.POSITIVE_INFINITY): readonly number[] | undefined {
    const tokens = this.#tokensOf.get(condition)
    // All tokens of a set are stated at once.
    return this.#isStatedAfter(tokens?.[0] ?? NONE, block) ? [] : tokens
  }

  /** `undefined`: not all that belongs to it is in memory. */
  keepToken(name: string): number | undefined {
    const young = this.tokens.getYoung(name)
    if (young !== undefined) return young
    const id = this.tokens.keep(name)
    return id !== undefined && this.keepsConditionOf(id) ? id : undefined
  }

  keepCondition(name: string): number | undefined {
    const young = this.conditions.getYoung(name)
    if (young !== undefined) return young
    const id = this.conditions.keep(name)
    return id !== undefined && this.keepsTokensOf(id) ? id : undefined
  }

  keepsConditionOf(token: number): boolean {
    const condition = this.#conditionOf.keep(token)
    if (condition === undefined) return false
    this.#combos.keep(token)
    return condition === NONE || this.keepsTokensOf(condition)
  }

  keepsTokensOf(condition: number): boolean {
    if (this.#tokensOf.getYoung(condition) !== undefined) return true
    const tokens = this.#tokensOf.keep(condition)
    for (const token of tokens ?? []) {
      this.#conditionOf.set(token, condition)
      this.#combos.keep(token)
    }
    return tokens !== undefined
  }

  setConditionOf(token: number, condition: number): void {
    this.#conditionOf.set(token, condition)
  }

  isCombo(token: number): boolean {
    return this.#combos.get(token) === true
  }

  addCombo(token: number): void {
    this.#combos.set(token, true)
  }

  setStatedIn(token: number, block: number): void {
    this.#statedIn.set(token, block)
  }

  setTokensOf(condition: number, tokens: readonly number[]): void {
    this.#tokensOf.set(condition, tokens)
    for (const token of tokens) this.#conditionOf.set(token, condition)
  }

  /** Whether the fact names a token without a condition. All of its ids must be in memory. */
  isNew({ tokens }: OutcomesFact): boolean {
    return tokens.some((token) => this.conditionOf(this.tokens.get(token) ?? NONE) === NONE)
  }

  /**
   * The first set that is stated gives a condition its tokens, for good. A token of another set (of
   * another collateral, say) only shares the condition, and a token never changes its condition.
   */
  learn({ seq, condition: name, tokens }: OutcomesFact): TokenOutcome[] {
    const condition = this.conditions.get(name) ?? NONE
    const isFirst = this.tokensOf(condition)?.length === 0
    const statedIn = blockOf(seq)
    const learned: TokenOutcome[] = []
    for (const [outcome, token] of tokens.entries()) {
      const id = this.tokens.get(token) ?? NONE
      if (this.conditionOf(id) !== NONE) continue
      this.#conditionOf.set(id, condition)
      this.#statedIn.set(id, statedIn)
      learned.push({ id, condition, outcome: isFirst ? outcome : undefined, statedIn })
    }
    const ids = learned.map(({ id }) => id)
    if (isFirst) this.#tokensOf.set(condition, ids)
    return learned
  }

  #isStatedAfter(token: number, block: number): boolean {
    return this.#statedIn.size > 0 && block < (this.#statedIn.get(token) ?? 0)
  }

  #all(): { rotate(): void; clear(): void }[] {
    return [
      this.wallets,
      this.builders,
      this.tokens,
      this.conditions,
      this.#conditionOf,
      this.#tokensOf,
      this.#combos,
    ]
  }
}
