import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { StrictBook } from '../../../test/strict-client/strict-book.js'
import { BOOK_MESSAGES, ORDERBOOK_SOCKET_MESSAGES } from '../messages.js'
import type { RecordingConnection } from '../test-connection.js'

type Json = { readonly [name: string]: unknown }

const { books_subscribed, books_unsubscribed, ...sent } = BOOK_MESSAGES
const { books_pong, book_error, ...proofs } = ORDERBOOK_SOCKET_MESSAGES
const MESSAGES = {
  ...sent,
  ...proofs,
  subscribed: books_subscribed,
  unsubscribed: books_unsubscribed,
  pong: books_pong,
}

/** Rebuilds the books of a connection from its messages, and notes everything that is wrong with them. */
export class BookReader {
  readonly books = new Map<string, StrictBook>()
  readonly stale = new Set<string>()
  readonly problems: string[] = []
  /** How often each kind of message and update came. */
  readonly counts: Record<string, number> = {}
  readonly #connection: RecordingConnection
  #isProven = false
  #read = 0

  constructor(connection: RecordingConnection) {
    this.#connection = connection
  }

  /** Reads what has come since the last time. */
  read(): this {
    const { messages } = this.#connection
    for (; this.#read < messages.length; this.#read++) this.#take(messages[this.#read] ?? {})
    return this
  }

  levels(tokenId: string) {
    const book = this.read().books.get(tokenId)
    return book && { bids: book.levels('bids'), asks: book.levels('asks') }
  }

  #take(message: Json): void {
    const type = String(message.type)
    this.#count(type)
    if ('error' in message) {
      this.#check(book_error.schema, message)
      return
    }
    this.#check(MESSAGES[type as keyof typeof MESSAGES]?.schema, message)
    const { updates, snapshots } = message as { updates?: Json[]; snapshots?: Json[] }
    const parts = updates ?? snapshots
    if (parts !== undefined && parts.length !== message.count) this.#note('wrong count', message)
    for (const part of parts ?? []) this.#apply(part)
    if (type === 'book_snapshot') this.#apply(message)
    if (type === 'subscribed') this.#isProven = message.integrity !== undefined
    if (type === 'resyncing') this.#markResyncing(message.markets as string[])
    if (type === 'stale') this.#trust(message)
  }

  #apply(update: Json): void {
    const type = String(update.type)
    this.#count(`update ${type}`)
    if (type === 'book_snapshot') {
      const tokenId = String(update.asset_id)
      const book = this.books.get(tokenId) ?? new StrictBook()
      this.books.set(tokenId, book)
      this.#note(book.anchor(update, this.#isProven).join(), update)
    } else if (type === 'price_change') this.#changeLevels(update)
    else if (type === 'book_update') {
      const sides = (['bids', 'asks'] as const).flatMap((side) =>
        (update[side] as { price: string; size: string }[]).map((level) => ({ side, ...level })),
      )
      this.#change(String(update.asset_id), sides, update)
    } else if (update.integrity !== undefined) this.#note('a trade has a proof', update)
  }

  #changeLevels(update: Json): void {
    const rows = update.assets as { asset_id: string; side: string; price: string; size: string }[]
    if (this.#isProven && (rows.length !== 1 || update.asset_id !== rows[0]?.asset_id))
      this.#note('not split', update)
    for (const { asset_id: tokenId, side, price, size } of rows) {
      const change = { side: side === 'BUY' ? ('bids' as const) : ('asks' as const), price, size }
      this.#change(tokenId, [change], update)
    }
  }

  #change(tokenId: string, changes: Parameters<StrictBook['change']>[0], update: Json): void {
    const book = this.books.get(tokenId)
    if (book === undefined) this.#note('a change before its book', update)
    else this.#note(book.change(changes, update.integrity, this.#isProven).join(), update)
  }

  #markResyncing(tokenIds: readonly string[]): void {
    for (const tokenId of tokenIds) {
      const book = this.books.get(tokenId)
      if (book === undefined) this.#note(`resyncing ${tokenId}`, {})
      else book.state = 'gated'
    }
  }

  #trust({ stale, markets }: Json): void {
    for (const tokenId of markets as string[]) {
      if (stale === true) this.stale.add(tokenId)
      else this.stale.delete(tokenId)
    }
  }

  #check(schema: TSchema | undefined, message: Json): void {
    if (schema === undefined || !Value.Check(schema, message)) this.#note('wrong shape', message)
  }

  #count(type: string): void {
    this.counts[type] = (this.counts[type] ?? 0) + 1
  }

  #note(problem: string, message: Json): void {
    if (problem !== '') this.problems.push(`${problem}: ${JSON.stringify(message).slice(0, 400)}`)
  }
}
