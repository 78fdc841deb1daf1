import type { Side } from '../universe/acts.js'
import type { Book, Level } from '../universe/books.js'

/** The new total at a price; 0 takes the level away. */
export type LevelChange = { side: Side; priceE4: number; sizeE2: number }

/** What turns the levels of one book into those of the other. */
export function diffBooks(before: Book, after: Book): LevelChange[] {
  return [...diffSide('BUY', before.bids, after.bids), ...diffSide('SELL', before.asks, after.asks)]
}

function diffSide(side: Side, before: readonly Level[], after: readonly Level[]): LevelChange[] {
  const gone = new Map(before.map(({ priceE4, sizeE2 }) => [priceE4, sizeE2]))
  const changes: LevelChange[] = []
  for (const { priceE4, sizeE2 } of after) {
    if (gone.get(priceE4) !== sizeE2) changes.push({ side, priceE4, sizeE2 })
    gone.delete(priceE4)
  }
  for (const priceE4 of gone.keys()) changes.push({ side, priceE4, sizeE2: 0 })
  return changes
}
