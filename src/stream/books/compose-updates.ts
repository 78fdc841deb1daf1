import type { LiveBook } from '../../books/live-book.js'
import type { BookTexts } from './book-texts.js'
import type { IntegrityBook } from './integrity-book.js'
import type { TokenChanges } from './token-changes.js'

type Composing = { texts: BookTexts; book: LiveBook; changes: TokenChanges }

/** The updates of one window; `snapshot` writes the whole book. */
export function composePlain({ texts, book, changes }: Composing, snapshot: () => string): string[] {
  const { isReplaced, levels } = changes
  const trades = composeTrades(texts, changes)
  if (isReplaced) return [snapshot(), ...trades]
  return levels.size === 0 ? trades : [texts.levels(book, levels.values()), ...trades]
}

/** The updates of one window for integrity mode, which turn what was published into the book. */
export function composeProven(composing: Composing, published: IntegrityBook): string[] {
  const { texts, changes } = composing
  const depth = changes.isReplaced
    ? composeReplaced(composing, published)
    : composeLevels(composing, published)
  return [...depth, ...composeTrades(texts, changes)]
}

function composeReplaced({ texts, book }: Composing, published: IntegrityBook): string[] {
  const update = published.update(book)
  return update === undefined ? [] : [texts.provenLevels(book, update, update.after)]
}

function composeLevels({ texts, book, changes }: Composing, published: IntegrityBook): string[] {
  const updates: string[] = []
  for (const change of changes.levels.values()) {
    const after = published.setLevel(change.side, change.price, change.size)
    if (after !== undefined) updates.push(texts.provenLevel(book, change, after))
  }
  return updates
}

export const composeTrades = (texts: BookTexts, { trades }: TokenChanges): string[] =>
  trades.map((trade) => texts.trade(trade)).filter((text) => text !== undefined)
