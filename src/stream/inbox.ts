import type { RawData, WebSocket } from 'ws'
import { costOf } from '../accounts/costs.js'
import type { Caller } from '../accounts/key-ring.js'
import type { WorkShares } from '../accounts/work-shares.js'
import type { Clock } from '../core/clock.js'
import { pause } from '../lib/timing.js'
import { refuseWork } from './client-work.js'
import { Refusal } from './connection.js'

/**
 * How many messages a client may send in a window. It is enough for a client that reconnects with all of the
 * subscriptions that a connection may have.
 */
const MESSAGES_MAX = 300
const WINDOW_MS = 10_000
/** A client that goes on after this many is closed. */
const FLOOD_MESSAGES_MAX = 2 * MESSAGES_MAX

/** Messages that wait for the one before them. The socket is not read while more wait. */
const WAITING_MESSAGES_MAX = 50
const WAITING_BYTES_MAX = 256 * 1024
/** Of all connections of an account. None of its sockets is read while more wait. */
const WAITING_BYTES_PER_ACCOUNT_MAX = 8 * 1024 * 1024

/** A ping, or an unsubscribe from all: it costs next to nothing, and is taken also of an account that is over its share. */
const SMALL_BYTES_MAX = 32

/** How long nothing of a connection is read after a message was refused for the share of its account. */
const REFUSED_PAUSE_MS = 250

/** What a connection of an account that is held back may send before it is not read, so that its pings are answered. */
const READ_AHEAD_BYTES = 16 * 1024
/**
 * How often `release` lets one held back connection of an account be read again. Its data has piled up in the
 * system meanwhile, and the event loop takes it in one piece: one connection at a time keeps the piece small.
 */
const RELEASE_EVERY_MS = 10

type InboxOptions = {
  socket: WebSocket
  clock: Clock
  caller: Caller
  shares: WorkShares
  /** Of all connections. */
  inboxes: Inboxes
  /** A message with more items is refused before it is parsed. */
  itemsMax: number
  /** Handles one message; the next one waits for it. */
  onMessage: (text: string) => void | Promise<void>
  /** Answers a message that is not handed on, in the order of the messages. */
  onRefused: (refusal: Refusal) => void
  /** The client sends far more than is allowed. */
  onFlood: () => void
  /** A handler threw. */
  onFault: (error: unknown) => void
}

const RATE_LIMITED = `At most ${MESSAGES_MAX} messages in ${WINDOW_MS / 1000} seconds.`
const NO_BINARY = 'Send JSON as a text frame; binary frames are not understood.'

/** `unpaidBytes`: those that compression has saved the client to send. */
type Message = { bytes: Buffer; unpaidBytes: number; refusal?: Refusal }

const NO_BYTES = Buffer.alloc(0)

/** The messages of one client: one at a time, in order, not too many, and as the share of the account allows. */
export class Inbox {
  readonly #options: InboxOptions
  #waiting: Message[] = []
  /** With those of the message that waits for its account's share. */
  #waitingBytes = 0
  /** Bytes of messages that are paid for, but have not come whole. */
  #paidBytes = 0
  /** Since the connection was held back last. */
  #readBytes = 0
  #isHeldBack = false
  #isWorking = false
  #isClosed = false
  #windowEndsAtMs = 0
  #count = 0

  constructor(options: InboxOptions) {
    this.#options = options
    options.inboxes.add(options.caller.accountId, this)
  }

  /**
   * Bytes have come from the socket. They are work before their message is whole: the other connections of the account
   * may be sending long ones too, so those of an account that is held back are read one after the other.
   */
  countReceived(bytes: number): void {
    if (this.#isClosed) return
    const { shares, caller, inboxes } = this.#options
    this.#paidBytes += bytes
    this.#readBytes += bytes
    shares.charge(caller, costOf('messageBytes', bytes))
    if (this.#readBytes < READ_AHEAD_BYTES || this.#isHeldBack || !this.isAccountHeldBack) return
    this.#isHeldBack = true
    inboxes.holdBack(caller.accountId, this)
    this.updateReading()
  }

  get isAccountHeldBack(): boolean {
    const { shares, caller } = this.#options
    return shares.isHeldBack(caller)
  }

  /** Reads the next piece of a connection that was held back. */
  release(): void {
    this.#isHeldBack = false
    this.#readBytes = 0
    this.updateReading()
  }

  add(data: RawData, isBinary: boolean): void {
    if (this.#isClosed) return
    const { clock, onFlood } = this.#options
    const nowMs = clock.now()
    const leftMs = this.#windowEndsAtMs - nowMs
    // More than a window is left when the time of day was set back.
    if (leftMs <= 0 || leftMs > WINDOW_MS) {
      this.#windowEndsAtMs = nowMs + WINDOW_MS
      this.#count = 0
    }
    this.#count++
    if (this.#count > FLOOD_MESSAGES_MAX) {
      this.close()
      onFlood()
      return
    }
    const message = this.#read(data, isBinary)
    this.#waiting.push(message)
    this.#countBytes(message.bytes.length)
    this.updateReading()
    if (!this.#isWorking) void this.#work()
  }

  /** Forgets what waits, and takes nothing any more. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#waiting = []
    this.#countBytes(-this.#waitingBytes)
    const { inboxes, caller } = this.#options
    inboxes.delete(caller.accountId, this)
  }

  /** Reads the socket, or does not while too much waits. */
  updateReading(): void {
    const { socket, inboxes, caller } = this.#options
    if (this.#isClosed) return
    const waits =
      this.#isHeldBack ||
      this.#waiting.length >= WAITING_MESSAGES_MAX ||
      this.#waitingBytes >= WAITING_BYTES_MAX ||
      inboxes.isFull(caller.accountId)
    if (waits !== socket.isPaused) {
      if (waits) socket.pause()
      else socket.resume()
    }
  }

  #countBytes(bytes: number): void {
    const { inboxes, caller } = this.#options
    this.#waitingBytes += bytes
    inboxes.count(caller.accountId, bytes)
  }

  #read(data: RawData, isBinary: boolean): Message {
    // `ws` hands over one buffer, because that is how its server is set.
    const bytes = data as Buffer
    const unpaidBytes = Math.max(0, bytes.length - this.#paidBytes)
    this.#paidBytes = Math.max(0, this.#paidBytes - bytes.length)
    const refuse = (refusal: Refusal) => ({ bytes: NO_BYTES, unpaidBytes, refusal })
    if (this.#count > MESSAGES_MAX) return refuse(new Refusal('rate_limited', RATE_LIMITED))
    if (isBinary) return refuse(new Refusal('invalid_message', NO_BINARY))
    return { bytes, unpaidBytes }
  }

  async #work(): Promise<void> {
    const { onFault } = this.#options
    this.#isWorking = true
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        const done = this.#admit(next)
        if (done instanceof Promise) await done
        this.updateReading()
      }
    } catch (error) {
      onFault(error)
    }
    this.#isWorking = false
  }

  /** Its bytes stay bytes until the account may have them parsed. */
  #admit({ bytes, unpaidBytes, refusal }: Message): void | Promise<void> {
    const { shares, caller, onRefused } = this.#options
    if (refusal !== undefined) return onRefused(refusal)
    const { length } = bytes
    const units = costOf('messages', 1) + costOf('messageBytes', unpaidBytes)
    if (length <= SMALL_BYTES_MAX) {
      shares.charge(caller, units)
      return this.#handle(bytes)
    }
    const waitMs = shares.refusedMs(caller)
    if (waitMs > 0) {
      this.#countBytes(-length)
      onRefused(refuseWork(caller, waitMs))
      return pause(REFUSED_PAUSE_MS)
    }
    const admitted = shares.admit(caller, units)
    return admitted === undefined ? this.#handle(bytes) : admitted.then(() => this.#handle(bytes))
  }

  #handle(bytes: Buffer): void | Promise<void> {
    if (this.#isClosed) return
    const { itemsMax, onMessage, onRefused } = this.#options
    this.#countBytes(-bytes.length)
    if (!hasMoreItems(bytes, itemsMax)) return onMessage(bytes.toString())
    const message = `A message has at most ${itemsMax} items.`
    onRefused(new Refusal('input_too_large', message, { max: itemsMax }))
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const BRACKET = 0x5b
const BRACE = 0x7b

/**
 * Whether a JSON text has more than this many values, lists and objects. A message of 2 MiB can have a million, which
 * take a hundred times as long to parse as this look at its bytes.
 */
export function hasMoreItems(json: Buffer, itemsMax: number): boolean {
  if (json.length <= itemsMax) return false
  let items = 0
  let isText = false
  for (let index = 0; index < json.length; index++) {
    const byte = json[index]
    if (byte === QUOTE) isText = !isText
    else if (isText) {
      if (byte === BACKSLASH) index++
    } else if (byte === COMMA || byte === BRACKET || byte === BRACE) {
      items++
      if (items > itemsMax) return true
    }
  }
  return false
}

type AccountInboxes = {
  bytes: number
  readonly inboxes: Set<Inbox>
  /** Those that are not read until the account has work left to spend, the first to be read first. */
  readonly heldBack: Set<Inbox>
  releasing?: NodeJS.Timeout
}

/** The inboxes of all connections, and how many bytes of messages wait in those of each account. */
export class Inboxes {
  readonly #accounts = new Map<number, AccountInboxes>()
  readonly #bytesMax: number

  constructor(bytesMax = WAITING_BYTES_PER_ACCOUNT_MAX) {
    this.#bytesMax = bytesMax
  }

  add(accountId: number, inbox: Inbox): void {
    const account = this.#accounts.get(accountId) ?? { bytes: 0, inboxes: new Set(), heldBack: new Set() }
    account.inboxes.add(inbox)
    this.#accounts.set(accountId, account)
  }

  delete(accountId: number, inbox: Inbox): void {
    const account = this.#accounts.get(accountId)
    account?.inboxes.delete(inbox)
    account?.heldBack.delete(inbox)
    if (account?.inboxes.size === 0) this.#accounts.delete(accountId)
  }

  isFull(accountId: number): boolean {
    return (this.#accounts.get(accountId)?.bytes ?? 0) >= this.#bytesMax
  }

  /** Queues the inbox of an account that is held back; `release` is called when it is the first in the queue. */
  holdBack(accountId: number, inbox: Inbox): void {
    const account = this.#accounts.get(accountId)
    if (account === undefined) return
    account.heldBack.add(inbox)
    account.releasing ??= setInterval(() => releaseFirst(account), RELEASE_EVERY_MS).unref()
  }

  /** All sockets of the account stop or go on when the limit is passed. */
  count(accountId: number, bytes: number): void {
    const account = this.#accounts.get(accountId)
    if (account === undefined) return
    const wasFull = this.isFull(accountId)
    account.bytes += bytes
    if (this.isFull(accountId) !== wasFull) for (const inbox of account.inboxes) inbox.updateReading()
  }
}

function releaseFirst(account: AccountInboxes): void {
  const [first] = account.heldBack
  if (first?.isAccountHeldBack === true) return
  if (first !== undefined) account.heldBack.delete(first)
  first?.release()
  if (account.heldBack.size > 0) return
  clearInterval(account.releasing)
  delete account.releasing
}
