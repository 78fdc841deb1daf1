import type { Act } from './acts.js'

export type Transaction = {
  /** 0x and 64 hex digits. */
  hash: string
  act: Act
  /** Lower-case addresses of who sends it and of the contract it calls. */
  from: string
  to: string
  nonce: number
  /** When a node first shows it as pending; `undefined` for the few that nobody sees before the block. */
  pendingMs: number | undefined
}

/** `branch` counts the reorganisations that the block comes after; it makes the hash of a replaced block differ. */
export type Block = {
  number: number
  branch: number
  timestampSec: number
  transactions: readonly Transaction[]
}
