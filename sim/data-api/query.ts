import { readInt, readList, readNumber } from '../server/query.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'

/** The message is what the host answers with status 400. */
export class BadRequest extends Error {
  override name = 'BadRequest'
}

export const SIDES = ['BUY', 'SELL'] as const
export const DIRECTIONS = ['DESC', 'ASC'] as const

/** `undefined`: an address that never traded. Throws when it is missing. */
export function readUser(universe: Universe, query: URLSearchParams): Wallet | undefined {
  if (!query.get('user')) throw new BadRequest("required query param 'user' not provided")
  return readOptionalUser(universe, query)?.wallet
}

/** `undefined`: the query names no wallet of the universe. */
export function readOptionalUser(
  universe: Universe,
  query: URLSearchParams,
): { wallet: Wallet | undefined } | undefined {
  const user = query.get('user')
  if (user === null || user === '') return undefined
  if (!/^0x[0-9a-fA-F]{40}$/.test(user)) throw new BadRequest("invalid query param 'user'")
  return { wallet: universe.walletByAddress(user.toLowerCase()) }
}

/** More than the most is cut, less than nothing is refused. */
export function readLimit(query: URLSearchParams, usual: number, max: number): number {
  const limit = readInt(query, 'limit') ?? usual
  if (!(limit >= 0)) throw new BadRequest("invalid query param 'limit'")
  return Math.min(limit, max)
}

export function readOffset(query: URLSearchParams, max: number, tooFar?: string): number {
  const offset = readInt(query, 'offset') ?? 0
  if (!(offset >= 0)) throw new BadRequest("invalid query param 'offset'")
  if (offset > max) throw new BadRequest(tooFar ?? `max offset of ${max} exceeded`)
  return offset
}

/** The first choice is the usual one. */
export function readChoice<Choice extends string>(
  query: URLSearchParams,
  key: string,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  return readOptionalChoice(query, key, choices) ?? choices[0]
}

export function readOptionalChoice<Choice extends string>(
  query: URLSearchParams,
  key: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = query.get(key)
  if (value === null || value === '') return undefined
  const found = choices.find((choice) => choice.toLowerCase() === value.toLowerCase())
  if (found === undefined) throw new BadRequest(`invalid query param '${key}'`)
  return found
}

/** Those of a comma list, or all when there is none. */
export function readChoices<Choice extends string>(
  query: URLSearchParams,
  key: string,
  choices: readonly Choice[],
): readonly Choice[] {
  const asked = readList(query, key).map((value) => {
    const found = choices.find((choice) => choice === value.toUpperCase())
    if (found === undefined) throw new BadRequest(`invalid query param '${key}'`)
    return found
  })
  return asked.length === 0 ? choices : asked
}

export function readAmount(query: URLSearchParams, key: string): number | undefined {
  const amount = readNumber(query, key)
  if (amount !== undefined && !(amount >= 0)) throw new BadRequest(`invalid query param '${key}'`)
  return amount
}

/** Part of a title, in lower case. */
export function readTitle(query: URLSearchParams, lengthMax: number): string {
  const title = query.get('title') ?? ''
  if (title.length > lengthMax) throw new BadRequest("invalid query param 'title'")
  return title.toLowerCase()
}

/** Seconds, both inclusive. Zero switches a bound off. */
export type Span = { startSec: number; endSec: number }

export function readSpan(query: URLSearchParams): Span {
  const startSec = readInt(query, 'start') ?? 0
  const endSec = readInt(query, 'end') ?? 0
  if (!(startSec >= 0)) throw new BadRequest("invalid query param 'start'")
  if (!(endSec >= 0)) throw new BadRequest("invalid query param 'end'")
  return { startSec, endSec: endSec === 0 ? Number.POSITIVE_INFINITY : endSec }
}

export const isWithin = ({ startSec, endSec }: Span, sec: number): boolean => sec >= startSec && sec <= endSec

/** Smallest rows worth showing, in money or in shares. */
export type SizeFilter = { type: 'CASH' | 'TOKENS'; amount: number }

/** Type and amount go together. */
export function readSizeFilter(query: URLSearchParams): SizeFilter | undefined {
  const type = readOptionalChoice(query, 'filter_type', ['CASH', 'TOKENS'])
  const amount = readAmount(query, 'filter_amount')
  if (type === undefined && amount === undefined) return undefined
  if (type === undefined || amount === undefined) {
    throw new BadRequest("'filterType' and 'filterAmount' must be provided together")
  }
  return { type, amount }
}
