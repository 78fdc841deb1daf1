import { expect, vi } from 'vitest'
import type { Universe } from '../../sim/universe/universe.js'
import type { StrictBookClient } from '../strict-client/book-client.js'
import { canonicalDecimal, pn1Checksum } from '../strict-client/pn1.js'

type Levels = Map<string, string>

/**
 * The universe stands still: soon every book of the client equals the one of the host, checksums too.
 * The host sends its books every second and after every trade: the last ones are those of this moment.
 */
export async function expectSameBooks(
  client: Pick<StrictBookClient, 'books'>,
  universe: Universe,
  timeoutMs = 20_000,
) {
  const readClient = () => [...client.books].map(([id, { bids, asks }]) => [id, sorted(bids), sorted(asks)])
  const readHost = () =>
    [...client.books.keys()].map((id) => {
      const { bids, asks } = readBook(universe, id)
      return [id, sorted(bids), sorted(asks)]
    })
  await vi.waitFor(() => expect(readClient()).toEqual(readHost()), { timeout: timeoutMs })
  for (const [id, { checksum }] of client.books) {
    const { bids, asks } = readBook(universe, id)
    if (checksum !== '') expect(checksum, id).toBe(pn1Checksum(bids, asks))
  }
  expect([...client.books.values()].some(({ bids }) => bids.size > 0)).toBe(true)
}

function readBook(universe: Universe, id: string): { bids: Levels; asks: Levels } {
  const token = universe.catalogue.token(id)
  const book = token === undefined ? undefined : universe.books.book(token)
  const show = (levels: readonly { priceE4: number; sizeE2: number }[] = []): Levels =>
    new Map(
      levels.map(({ priceE4, sizeE2 }) => [
        canonicalDecimal((priceE4 / 10_000).toFixed(4)) ?? '',
        canonicalDecimal((sizeE2 / 100).toFixed(2)) ?? '',
      ]),
    )
  return { bids: show(book?.bids), asks: show(book?.asks) }
}

const sorted = (levels: Levels) => [...levels].sort(([a], [b]) => Number(a) - Number(b))
