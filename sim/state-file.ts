import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Reorg } from './universe/universe.js'

/** What it takes to live the same universe again after a restart. */
export type SimState = {
  /** `LAWS` of the simulator that wrote it. */
  laws: number
  seed: number
  startMs: number
  intensity: number
  /** By how much the universe's clock is ahead of the real one; it is when time was sped up. */
  aheadMs: number
  reorgs: Reorg[]
}

/** Raised whenever the same seed makes another universe than before. */
export const LAWS = 2

/** `undefined` when there is none, or none that can be read: a new universe begins then. */
export function readState(path: string): SimState | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as SimState
  } catch {
    return undefined
  }
}

export function writeState(path: string, state: SimState): void {
  const draft = `${path}.new`
  writeFileSync(draft, `${JSON.stringify(state)}\n`)
  renameSync(draft, path)
}
