import type { Clearable } from './api-types.js'
import type { AuspexError } from './auspex-error.js'
import type { components } from './generated/asyncapi.js'

/** The schemas of the AsyncAPI document by name, such as `StreamSchemas['TradeMessage']`. */
export type StreamSchemas = components['schemas']

/** An event; `type` says which. */
export type StreamEvent = Extract<StreamSchemas['EventsSocketMessage'], { seq: number }>

/** Stands for events that the stream could not recover after it was interrupted. */
export type StreamGap = {
  type: 'gap'
  /** `pending`: confirmed events are all there, pending ones of the last moments may be missing. */
  missing: 'events' | 'pending'
  /** The last event before the gap; `undefined`: there was none, or it has no number. */
  afterSeq: number | undefined
}

type Filters = NonNullable<StreamSchemas['SubscribeMessage']['filters']>

export type SubscribeOptions = {
  /** The preset; `settlements` unless given. */
  type?: StreamSchemas['SubscribeMessage']['type'] | undefined
  filters?: Clearable<Omit<Filters, 'since' | 'since_seq' | 'snapshot_count'>> | undefined
  /** Begin with the events after this time, in Unix milliseconds, as far back as the plan allows. */
  since?: number | undefined
  /** Begin with the events after this one, up to 24 hours back. */
  sinceSeq?: number | undefined
  /** How many of the newest events come first; 20 unless given, 0: live events alone. */
  snapshotCount?: number | undefined
}

/** Order books as their messages come, without checksums. `books` keeps and proves them. */
export type BookMessagesOptions = {
  type: 'orderbook'
  /** Token ids, condition ids, event slugs, or `*` alone for all books. */
  markets: readonly string[]
}

export type BookMessage =
  | StreamSchemas['SnapshotBatchMessage']
  | StreamSchemas['SnapshotsDoneMessage']
  | StreamSchemas['BatchMessage']
  | StreamSchemas['StaleMessage']
  | StreamSchemas['NotFollowedMessage']

/** A time as a date, in Unix milliseconds or seconds, or as `2026-01-31T12:00:00Z`. */
export type ReplayTime = Date | number | string

export type ReplayOptions = {
  from: ReplayTime
  to: ReplayTime
  /** How much faster than it happened, 1 to 100; `max`: as fast as the streams are read. 1 unless given. */
  speed?: number | 'max' | undefined
}

export type ReplayState = StreamSchemas['ReplayStateMessage']
export type ReplayEnd = StreamSchemas['ReplayEndMessage']

/** `reconnecting`: the connection was lost or refused, and another one is tried. */
export type StreamStatus = 'connecting' | 'open' | 'reconnecting'

export type StatusDetails = {
  /** `reconnecting`: why. */
  error?: AuspexError
  /** `reconnecting`: when the next attempt is made. */
  retryInMs?: number
  /** `open`: what the service answered; `warnings` names filters that it did not find. */
  acknowledgement?: StreamSchemas['SubscribedMessage'] | StreamSchemas['BooksSubscribedMessage']
  /** `open`: the stream goes on after this event. */
  afterSeq?: number | undefined
}

export type StatusListener = (status: StreamStatus, details: StatusDetails) => void

/**
 * Items of a socket, for one reader. `break` in a loop over it, or `close`, ends it. What the service refuses for good is
 * thrown to the reader.
 */
export type EventStream<Item> = AsyncIterableIterator<Item, undefined, undefined> & {
  close(): void
  /** Calls the listener with the status now and with each change. Returns the function that takes it away. */
  onStatus(listener: StatusListener): () => void
}
