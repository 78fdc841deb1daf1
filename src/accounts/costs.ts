/**
 * What work costs, in units: one is about a millisecond of the service's thread or of a database connection. What is
 * not known before, such as the time of a query, is charged when it is over.
 */
export const OPERATION_COSTS = {
  /** Answered from memory, for probes that must always be answered. */
  none: 0,
  /** A few rows by key. */
  small: 1,
  /** A page of a list, or an answer of an upstream. */
  page: 3,
  /** Lists with filters of all kinds, and exports: what the database does for them is charged besides. */
  heavy: 6,
} as const

export type OperationCost = keyof typeof OPERATION_COSTS

/** How much of each costs one unit on a socket. */
const PER_UNIT = {
  /** Messages of a client, of any kind and length. */
  messages: 10,
  /** Bytes of a client's message, which are parsed. */
  messageBytes: 16 * 1024,
  /** Identifiers that are looked up in the catalogue. */
  identifiers: 25,
  /** Values of filters, which are checked and put into the index. */
  filterItems: 125,
  /** Order books that a subscription to all of them has to send. */
  listedBooks: 2_500,
  /** Order books that are sent whole, or asked for at the exchange. */
  snapshots: 12,
  /** Characters of events of the past. */
  replayedLength: 32 * 1024,
  /** Events of the past that are compared with the filters. */
  scannedEvents: 1_000,
} as const

export type SocketCost = keyof typeof PER_UNIT

/** How much of it costs one unit. */
export const amountPerUnit = (kind: SocketCost): number => PER_UNIT[kind]

/** The units of some amount. */
export const costOf = (kind: SocketCost, amount: number): number => amount / PER_UNIT[kind]
