/** The last block that is booked; block 0 and time 0 before the first. */
export type ChainHead = { block: number; timeSec: number }

/** What the follower of the chain is doing. */
export type FollowerStatus = {
  phase: 'standby' | 'catching_up' | 'live' | 'stopped'
  /** Newest block of the node; `undefined` before its first answer. */
  nodeBlock: number | undefined
  /** Why no block is booked; `undefined` when all is well. */
  problem: string | undefined
  /** It was live before, or another process was: what it takes over from there is at most moments old. */
  hasServed?: boolean
}

/**
 * The chain as this process sees it. The ingest writes it while this process books; a job reads the
 * head and the number of wallets from the database, because another process may be the one that books.
 */
export type ChainStatus = {
  head: ChainHead
  /** `undefined` while no follower runs. */
  follower: FollowerStatus | undefined
  /** State of another process that books the chain; `undefined`: no other process can. */
  elsewhere: 'live' | 'behind' | undefined
  isNodeConnected: boolean
  /** Logs that could not be booked. */
  quarantined: number
  wallets: number
}

/** The head of a process that has not heard yet how far the chain is booked. */
const UNREAD: ChainHead = Object.freeze({ block: 0, timeSec: 0 })

/** Whether the head is what the database has, or had of late. A process that starts does not know it for a moment. */
export const isHeadRead = ({ head }: ChainStatus): boolean => head !== UNREAD

/** Sets the head. It stays the same object until it moves: what is known of that object holds as long. */
export function moveHead(status: ChainStatus, { block, timeSec }: ChainHead): void {
  const { head } = status
  if (isHeadRead(status) && block === head.block && timeSec === head.timeSec) return
  status.head = { block, timeSec }
}

/** What a service without a node says wherever chain data is missing. */
export const NO_NODE =
  'No chain data will come until AUSPEX_POLYGON_URL is set to the address of a Polygon node.'

/** What a process says that leaves the chain to others, before one of them has booked a block. */
export const NOTHING_BOOKED = 'No process with the role ingest has booked a block yet.'

/** Why nothing of the chain is here, if that will not change by itself. A process without a node may serve what another one books. */
export function whyChainIsMissing({ follower, elsewhere, head }: ChainStatus): string | undefined {
  if (head.block > 0) return undefined
  if (follower !== undefined) return follower.problem
  return elsewhere === undefined ? NO_NODE : NOTHING_BOOKED
}

export const createChainStatus = (): ChainStatus => ({
  head: UNREAD,
  follower: undefined,
  elsewhere: undefined,
  isNodeConnected: false,
  quarantined: 0,
  wallets: 0,
})
