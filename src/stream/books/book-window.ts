import type { BookChange } from '../../books/live-book.js'
import { SharedFrame } from '../fast/shared-frame.js'
import type { BookFollower, BookMessage } from './book-groups.js'
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
      case 'details':
      case 'state':
        // The feed looks at the state of the book when the window ends.
        break
    }
  }
}

/** Characters of one frame; a client takes 10 MiB. One book may be longer alone. */
export const FRAME_CHARACTERS_MAX = 1024 * 1024
/** Tokens of one `stale` message. */
const STALE_TOKENS_MAX = 1_000

/** The updates of one token in a window. */
export type TokenUpdates = { tokenId: string; texts: readonly string[] }

/** What one window has for the connections of a group, in the order in which they receive it. */
export class GroupOutput {
  /** Books that may not be trusted any more, by the reason. */
  readonly stale = new Map<string, string[]>()
  readonly updates: TokenUpdates[] = []
  /** Integrity mode: whole books with new anchors. */
  readonly anchors: { tokenId: string; frame: SharedFrame }[] = []
  /** Books that may be trusted again. */
  readonly live: string[] = []

  addStale(tokenId: string, reason: string): void {
    const tokenIds = this.stale.get(reason)
    if (tokenIds === undefined) this.stale.set(reason, [tokenId])
    else tokenIds.push(tokenId)
  }

  /** All members receive the same messages, but those that wait for some of the books. */
  deliver(members: Iterable<BookFollower>, ts: number): void {
    let shared: BookMessage[] | undefined
    for (const member of [...members]) {
      const { waiting } = member
      if (waiting.size > 0) member.deliver(this.#compose(ts, (tokenId) => !waiting.has(tokenId)))
      else {
        shared ??= this.#compose(ts, () => true)
        member.deliver(shared)
      }
    }
  }

  #compose(ts: number, isWanted: (tokenId: string) => boolean): BookMessage[] {
    const messages: BookMessage[] = []
    for (const [reason, tokenIds] of this.stale)
      messages.push(...presentStale(tokenIds.filter(isWanted), ts, reason))
    messages.push(
      ...toBatches(
        this.updates.filter(({ tokenId }) => isWanted(tokenId)),
        ts,
      ),
    )
    const anchors = this.anchors.filter(({ tokenId }) => isWanted(tokenId))
    if (anchors.length > 0) {
      const markets = anchors.map(({ tokenId }) => tokenId)
      messages.push(JSON.stringify({ type: 'resyncing', markets }))
      messages.push(...anchors.map(({ frame }) => frame))
      messages.push(presentResyncDone(markets))
    }
    messages.push(...presentStale(this.live.filter(isWanted), ts))
    return messages
  }
}

export const presentResyncDone = (markets: readonly string[]): string =>
  JSON.stringify({ type: 'snapshots_done', total: markets.length, reason: 'resync', markets })

/** `reason`: the books may not be trusted; without one: they may, again. */
export function presentStale(tokenIds: readonly string[], ts: number, reason?: string): string[] {
  const messages: string[] = []
  for (let from = 0; from < tokenIds.length; from += STALE_TOKENS_MAX) {
    const markets = tokenIds.slice(from, from + STALE_TOKENS_MAX)
    messages.push(JSON.stringify({ type: 'stale', stale: reason !== undefined, markets, reason, ts }))
  }
  return messages
}

/** All updates of a token are in one frame: a book is never seen between two of them. */
function toBatches(updates: readonly TokenUpdates[], ts: number): SharedFrame[] {
  const frames: SharedFrame[] = []
  let texts: string[] = []
  let characters = 0
  for (const [index, update] of updates.entries()) {
    texts.push(...update.texts)
    characters += countCharacters(update.texts)
    if (characters < FRAME_CHARACTERS_MAX && index < updates.length - 1) continue
    const text = `{"type":"batch","ts":${ts},"count":${texts.length},"updates":[${texts.join(',')}]}`
    frames.push(new SharedFrame(text, 'ws_market'))
    texts = []
    characters = 0
  }
  return frames
}

export const countCharacters = (texts: readonly string[]): number =>
  texts.reduce((sum, { length }) => sum + length, 0)
