import { expect, vi } from 'vitest'
import type { StrictBookClient } from '../strict-client/book-client.js'
import { canonicalDecimal, pn1Checksum } from '../strict-client/pn1.js'
import type { StreamWorld } from './stream-world.js'

type Shown = { bids: [string, string][]; asks: [string, string][] }

/** Keeps the books of all tokens as the simulated host has sent them: once a second. */
export function watchShownBooks({ universe }: StreamWorld, tokens: readonly string[]) {
  const shown = new Map<string, Shown>()
  const look = () => {
    for (const id of tokens) shown.set(id, readBook(universe, id))
  }
  look()
  universe.on('second', look)
  return shown
}

function readBook(universe: StreamWorld['universe'], id: string): Shown {
  const token = universe.catalogue.token(id)
  const book = token === undefined ? undefined : universe.books.book(token)
  const show = (levels: readonly { priceE4: number; sizeE2: number }[] = []) =>
    levels.map(({ priceE4, sizeE2 }): [string, string] => [
      canonicalDecimal((priceE4 / 10_000).toFixed(4)) ?? '',
      canonicalDecimal((sizeE2 / 100).toFixed(2)) ?? '',
    ])
  return { bids: show(book?.bids), asks: show(book?.asks) }
}

/** The universe stands still: soon every book of the client equals the one of the host, checksums too. */
export async function expectSameBooks(client: StrictBookClient, shown: Map<string, Shown>) {
  const readClient = () =>
    [...client.books].map(([id, { bids, asks }]) => [id, sorted([...bids]), sorted([...asks])])
  const expected = () =>
    [...client.books.keys()].map((id) => {
      const { bids = [], asks = [] } = shown.get(id) ?? {}
      return [id, sorted(bids), sorted(asks)]
    })
  await vi.waitFor(() => expect(readClient()).toEqual(expected()), { timeout: 20_000 })
  for (const [id, book] of client.books) {
    const { bids = [], asks = [] } = shown.get(id) ?? {}
    const checksum = pn1Checksum(new Map(bids), new Map(asks))
    if (book.checksum !== '') expect(book.checksum, id).toBe(checksum)
  }
  expect([...client.books.values()].some(({ bids }) => bids.size > 0)).toBe(true)
}

const sorted = (levels: readonly [string, string][]) =>
  levels.toSorted(([a], [b]) => Number(a) - Number(b))
