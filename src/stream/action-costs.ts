import { amountPerUnit, type SocketCost } from '../accounts/costs.js'

const EVERY = ['messages', 'messageBytes'] as const

/** Which costs each message of a client has, by its name in the AsyncAPI document. A message without a row is a fault. */
export const ACTION_COSTS: { readonly [name: string]: readonly SocketCost[] } = {
  subscribe: [...EVERY, 'filterItems', 'identifiers', 'scannedEvents', 'replayedLength'],
  unsubscribe: EVERY,
  ping: EVERY,
  pause: EVERY,
  resume: EVERY,
  seek: EVERY,
  subscribe_books: [...EVERY, 'identifiers', 'listedBooks', 'snapshots'],
  unsubscribe_books: [...EVERY, 'identifiers'],
  resync: [...EVERY, 'identifiers', 'snapshots'],
}

const COSTS: { readonly [Kind in SocketCost]: string } = {
  messages: 'messages',
  messageBytes: 'bytes of messages',
  identifiers: 'slugs, condition ids or token ids that are looked up',
  filterItems: 'filter items, with the tokens that slugs and conditions stand for',
  listedBooks: 'books that `*` stands for',
  snapshots: 'books that are sent, or asked for at the exchange',
  replayedLength: 'characters of events of the past',
  scannedEvents: 'events of the past that are compared with the filters',
}

/** `undefined`: the service sends the message. */
export function describeActionCost(name: string): string | undefined {
  const costs = ACTION_COSTS[name]
  const describe = (kind: SocketCost) =>
    `one for each ${amountPerUnit(kind).toLocaleString('en-US')} ${COSTS[kind]}`
  return costs && `Units of work of the account: ${costs.map(describe).join('; ')}`
}
