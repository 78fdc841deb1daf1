import type { ChainLog } from './log.js'

/** A block by number, by hash, or by what it is now. `finalized` is the newest that will not be replaced. */
export type BlockAt = number | { hash: string } | 'latest' | 'finalized' | 'safe' | 'earliest'

/** What a block says about itself; this much comes with every new head. */
export type Head = {
  number: number
  hash: string
  parentHash: string
  timestampSec: number
  /** 256 bytes in hex, for `bloomHas`; `undefined` from nodes that leave it out. */
  logsBloom: string | undefined
}

export type Block = Head & { txHashes: string[] }

export type Transaction = {
  hash: string
  /** Lower-case, like `to`. */
  from: string
  /** `undefined`: it creates a contract. */
  to: string | undefined
  input: string
  nonce: number
  /** `undefined`: it is still pending. */
  block: { number: number; hash: string; txIndex: number } | undefined
}

export type Receipt = {
  txHash: string
  txIndex: number
  blockNumber: number
  blockHash: string
  succeeded: boolean
  from: string
  to: string | undefined
  logs: ChainLog[]
}
