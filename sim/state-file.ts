import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Reorg } from './universe/universe.js'

/** What it takes to live the same universe again after a restart. */
export type SimState = {
  /** `LAWS` of the simulator that wrote it. */
  laws: number
  seed: number
  /** When the universe began, and how much of it was past then. */
  startMs: number
  historyMs: number
  intensity: number
  /** By how much the universe's clock is ahead of the real one; it is when time was sped up. */
  aheadMs: number
  reorgs: Reorg[]
}

/** Raised whenever the same seed makes another universe than before. */
export const LAWS = 8

type Wanted = Pick<SimState, 'seed' | 'historyMs' | 'intensity'>

const HOUR_MS = 3_600_000

/** The universe of an earlier run when it has the same seed, else a new one. It is in the file then. */
export function openState({ seed, historyMs, intensity }: Wanted, path: string | undefined): SimState {
  const kept = path === undefined ? undefined : readState(path)
  const isSame = kept?.laws === LAWS && kept.seed === seed && kept.intensity === intensity
  if (isSame) return kept
  // A whole hour: two runs within it begin alike.
  const startMs = Math.floor((Date.now() - historyMs) / HOUR_MS) * HOUR_MS
  const state = { laws: LAWS, seed, startMs, historyMs, intensity, aheadMs: 0, reorgs: [] }
  // Before a reader can have seen any of it: after a kill it must find the same universe.
  if (path !== undefined) writeState(path, state)
  return state
}

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
