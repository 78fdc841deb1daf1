import { blockOf } from '../../core/seq.js'
import { NONE } from '../../ledger/entry.js'
import type { OutcomesFact } from '../attribute/tape.js'
import { Generations, ownNumber, ownText } from './generations.js'
import type { ToldToken } from './name-queries.js'

export type NameLimits = { walletsMax: number; tokensMax: number }

/**
 * Numbers of names in bounded memory. All generations turn together, so that whatever hangs on a name
 * is as young as the name: its condition on a token, its tokens on a condition.
 */
export class NameMemory {
  readonly wallets = new Generations<string, number>(ownText)
  readonly builders = new Generations<string, number>(ownText)
  readonly #tokens = new Generations<string, number>(ownText)
  readonly #conditions = new Generations<string, number>(ownText)
  readonly #conditionOf = new Generations<number, number>(ownNumber)
  readonly #tokensOf = new Generations<number, readonly number[]>(ownNumber)
  /** The blocks that tell of tokens, where older blocks may still be booked: these do not know. */
  readonly #told = new Map<number, number>()

  /** No block below this one comes any more. Begins a generation when the young one is full. */
  turn({ walletsMax, tokensMax }: NameLimits, fromBlock: number): void {
    for (const [token, told] of this.#told) if (told <= fromBlock) this.#told.delete(token)
    if (this.wallets.size < walletsMax && this.#conditionOf.size < tokensMax) return
    for (const generations of this.#all()) generations.turn()
  }

  clear(): void {
    for (const generations of this.#all()) generations.clear()
    this.#told.clear()
  }

  token(word: string): number | undefined {
    return this.#tokens.get(word)
  }

  condition(word: string): number | undefined {
    return this.#conditions.get(word)
  }

  /** As a block knows it; without a block as it is known now. */
  conditionOf(token: number, block = Number.POSITIVE_INFINITY): number | undefined {
    return this.#isUntold(token, block) ? NONE : this.#conditionOf.get(token)
  }

  tokensOf(condition: number, block = Number.POSITIVE_INFINITY): readonly number[] | undefined {
    const tokens = this.#tokensOf.get(condition)
    // All tokens of a set are told at once.
    return this.#isUntold(tokens?.[0] ?? NONE, block) ? [] : tokens
  }

  /** `undefined`: not all that belongs to it is in memory. */
  keepToken(word: string): number | undefined {
    const young = this.#tokens.getYoung(word)
    if (young !== undefined) return young
    const id = this.#tokens.keep(word)
    return id !== undefined && this.keepsConditionOf(id) ? id : undefined
  }

  keepCondition(word: string): number | undefined {
    const young = this.#conditions.getYoung(word)
    if (young !== undefined) return young
    const id = this.#conditions.keep(word)
    return id !== undefined && this.keepsTokensOf(id) ? id : undefined
  }

  keepsConditionOf(token: number): boolean {
    const condition = this.#conditionOf.keep(token)
    if (condition === undefined) return false
    return condition === NONE || this.keepsTokensOf(condition)
  }

  keepsTokensOf(condition: number): boolean {
    if (this.#tokensOf.getYoung(condition) !== undefined) return true
    const tokens = this.#tokensOf.keep(condition)
    for (const token of tokens ?? []) this.#conditionOf.set(token, condition)
    return tokens !== undefined
  }

  setToken(word: string, id: number): void {
    this.#tokens.set(word, id)
  }

  setCondition(word: string, id: number): void {
    this.#conditions.set(word, id)
  }

  setConditionOf(token: number, condition: number): void {
    this.#conditionOf.set(token, condition)
  }

  /** The block that told of a token. */
  setTold(token: number, block: number): void {
    this.#told.set(token, block)
  }

  setTokensOf(condition: number, tokens: readonly number[]): void {
    this.#tokensOf.set(condition, tokens)
    for (const token of tokens) this.#conditionOf.set(token, condition)
  }

  /** Whether the fact says something new. All of its names must have their numbers. */
  isNews({ tokens }: OutcomesFact): boolean {
    return tokens.some((word) => this.conditionOf(this.token(word) ?? NONE) === NONE)
  }

  /**
   * The first set that is told gives a condition its tokens, for good. A token of another set (of
   * another collateral, say) only shares the condition, and a token never changes its condition.
   */
  learn({ seq, condition: word, tokens }: OutcomesFact): ToldToken[] {
    const condition = this.condition(word) ?? NONE
    const isFirst = this.tokensOf(condition)?.length === 0
    const told = blockOf(seq)
    const tellings: ToldToken[] = []
    for (const [outcome, token] of tokens.entries()) {
      const id = this.token(token) ?? NONE
      if (this.conditionOf(id) !== NONE) continue
      this.#conditionOf.set(id, condition)
      this.#told.set(id, told)
      tellings.push({ id, condition, outcome: isFirst ? outcome : undefined, told })
    }
    if (isFirst)
      this.#tokensOf.set(
        condition,
        tellings.map(({ id }) => id),
      )
    return tellings
  }

  #isUntold(token: number, block: number): boolean {
    return this.#told.size > 0 && block < (this.#told.get(token) ?? 0)
  }

  #all(): { turn(): void; clear(): void }[] {
    return [
      this.wallets,
      this.builders,
      this.#tokens,
      this.#conditions,
      this.#conditionOf,
      this.#tokensOf,
    ]
  }
}
