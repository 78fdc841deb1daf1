import type { BookChange } from '../../books/live-book.js'
import type { LevelChange, TradeChange } from './book-texts.js'

/** What happened to one book in the current window, as far as clients have to learn it. */
export class TokenChanges {
  /** The whole book was replaced: its levels of the end of the window are sent. */
  isReplaced = false
  /** The last change of each price and side, the latest last. Empty when the book was replaced. */
  readonly levels = new Map<string, LevelChange>()
  /** All of them, in order. */
  readonly trades: TradeChange[] = []

  add(change: BookChange): void {
    switch (change.kind) {
      case 'snapshot':
        this.isReplaced = true
        this.levels.clear()
        break
      case 'level': {
        if (this.isReplaced) break
        const key = change.side + change.price
        // Moved to the end: the best prices of the last row are those after the window.
        this.levels.delete(key)
        this.levels.set(key, change)
        break
      }
      case 'trade':
        this.trades.push(change)
        break
      case 'state':
        // The feed looks at the state of the book when the window ends.
        break
    }
  }
}
