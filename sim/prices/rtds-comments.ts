import { isoTime } from '../markets/amounts.js'
import { profileOf } from '../markets/names.js'
import type { MarketEvent } from '../universe/market.js'
import { hash32 } from '../universe/random.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import type { RtdsMessage } from './rtds-client.js'

/** Seconds between two comments, on average. */
const COMMENT_EVERY_SEC = 5
/** What happens to a comment after how many seconds, and to one in how many. */
const LATER = [
  { type: 'reaction_created', afterSec: 11, oneIn: 2 },
  { type: 'reaction_removed', afterSec: 29, oneIn: 4 },
  { type: 'comment_removed', afterSec: 47, oneIn: 8 },
] as const
/** One of four comments answers a comment of the last seconds. */
const REPLY_ONE_IN = 4
const REPLY_SEC_MAX = 30
const DRAWS_MAX = 8
/** Chance of comments is apart from all other chance of the universe. */
const PURPOSE = 78

const BODIES: readonly ((title: string) => string)[] = [
  (title) => `${title} is mispriced, change my mind`,
  () => 'who keeps buying at this price?',
  () => 'holding until the end',
  (title) => `took profit on ${title}, good luck all`,
  () => 'the book is thin tonight',
]

type Comment = {
  sec: number
  event: MarketEvent
  wallet: Wallet
  /** The comment that it answers. */
  answers?: Comment
}

/**
 * What is said and liked in a second. It follows from the seed and the second alone, so nothing is kept:
 * what happens to a comment later finds it again.
 */
export function commentMessages(universe: Universe, atMs: number): RtdsMessage[] {
  const sec = Math.floor(atMs / 1000)
  const written = commentAt(universe, sec)
  const messages: RtdsMessage[] = []
  if (written !== undefined) messages.push(message(atMs, 'comment_created', written, show(universe, written)))
  for (const { type, afterSec, oneIn } of LATER) {
    const earlier = commentAt(universe, sec - afterSec)
    // Who takes a reaction back gave one.
    if (earlier === undefined || draw(universe, earlier.sec, 4) % oneIn !== 0) continue
    const isOver = type === 'comment_removed'
    const payload = isOver ? show(universe, earlier) : showReaction(universe, earlier)
    messages.push(message(atMs, type, earlier, payload))
  }
  return messages
}

const draw = ({ seed }: Universe, sec: number, purpose: number): number => hash32(seed, PURPOSE, sec, purpose)

/** `undefined`: nothing is written in that second. An answer stands under the event of what it answers. */
function commentAt(universe: Universe, sec: number): Comment | undefined {
  const comment = writtenAt(universe, sec)
  if (comment === undefined || !isReply(universe, sec)) return comment
  for (let agoSec = 1; agoSec <= REPLY_SEC_MAX; agoSec++) {
    const answers = writtenAt(universe, sec - agoSec)
    if (answers !== undefined && !isReply(universe, answers.sec))
      return { ...comment, event: answers.event, answers }
  }
  return comment
}

const isReply = (universe: Universe, sec: number): boolean => draw(universe, sec, 3) % REPLY_ONE_IN === 0

function writtenAt(universe: Universe, sec: number): Comment | undefined {
  if (draw(universe, sec, 0) % COMMENT_EVERY_SEC !== 0) return undefined
  const event = drawEvent(universe, sec)
  const wallet = walletOf(universe, sec, 2)
  return event === undefined || wallet === undefined ? undefined : { sec, event, wallet }
}

function walletOf({ seed, wallets }: Universe, sec: number, purpose: number): Wallet | undefined {
  const wallet = wallets[hash32(seed, PURPOSE, sec, purpose) % wallets.length]
  return wallet !== undefined && wallet.createdMs <= sec * 1000 ? wallet : undefined
}

/** One that was open then. Events are in the order in which they came up. */
function drawEvent({ seed, catalogue }: Universe, sec: number): MarketEvent | undefined {
  const events = catalogue.events()
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle]?.createdMs ?? 0) <= sec * 1000) low = middle + 1
    else high = middle
  }
  for (let draws = 0; draws < DRAWS_MAX && low > 0; draws++) {
    const event = events[hash32(seed, PURPOSE, sec, 10 + draws) % low]
    if (event !== undefined && event.endMs > sec * 1000) return event
  }
  return undefined
}

/** Windows come and go: people talk under their series. */
function parentOf({ window, series, id }: MarketEvent) {
  return window !== undefined && series !== undefined
    ? { parentEntityType: 'Series', parentEntityID: Number(series.id) }
    : { parentEntityType: 'Event', parentEntityID: Number(id) }
}

function message(timestamp: number, type: string, { event }: Comment, payload: object): RtdsMessage {
  const { parentEntityID, parentEntityType } = parentOf(event)
  const filters = [JSON.stringify({ parentEntityID, parentEntityType })]
  return { topic: 'comments', type, timestamp, payload, filters }
}

const idOf = (sec: number): string => String(sec)

function show(universe: Universe, { sec, event, wallet, answers }: Comment): object {
  const time = isoTime(sec * 1000)
  return {
    id: idOf(sec),
    body: BODIES[draw(universe, sec, 6) % BODIES.length]?.(event.title),
    ...parentOf(event),
    ...(answers !== undefined && {
      parentCommentID: idOf(answers.sec),
      replyAddress: answers.wallet.owner,
    }),
    userAddress: wallet.owner,
    createdAt: time,
    updatedAt: time,
    profile: showProfile(wallet),
    reactions: [],
    reportCount: 0,
    reactionCount: 0,
  }
}

function showReaction(universe: Universe, comment: Comment): object {
  const { sec } = comment
  const wallet = walletOf(universe, sec, 5) ?? comment.wallet
  return {
    id: `${idOf(sec)}1`,
    commentID: sec,
    reactionType: 'HEART',
    icon: '',
    userAddress: wallet.owner,
    createdAt: isoTime((sec + LATER[0].afterSec) * 1000),
    profile: showProfile(wallet),
  }
}

function showProfile(wallet: Wallet): object {
  const { name, pseudonym, bio, profileImage } = profileOf(wallet)
  return {
    name,
    pseudonym,
    displayUsernamePublic: name !== '',
    bio,
    proxyWallet: wallet.address,
    baseAddress: wallet.owner,
    profileImage,
  }
}
