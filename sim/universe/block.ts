import type { Act } from './acts.js'

export type Transaction = {
  /** 0x and 64 hex digits. Derived when asked for, like the three below: there are very many. */
  readonly hash: string
  act: Act
  /** Lower-case addresses of who sends it and of the contract it calls. */
  readonly from: string
  readonly to: string
  readonly nonce: number
  /** When a node first shows it as pending; `undefined` for the few that no node shows before the block. */
  pendingMs: number | undefined
}

/** `branch` counts the reorganisations that the block comes after; it makes the hash of a replaced block differ. */
export type Block = {
  number: number
  branch: number
  timestampSec: number
  transactions: readonly Transaction[]
}
