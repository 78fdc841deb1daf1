import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Samples } from '../sim/samples.js'
import type { UpstreamUrls } from '../sim/simulator.js'
import type { PlanId } from '../src/accounts/plans.js'

export type PlanKeys = Partial<Record<PlanId, string>>

/** What `<data>/demo.json` tells scripts about the demo that runs, or that ran last. */
export type DemoFile = {
  url: string
  /** `null` once the demo has stopped. */
  pid: number | null
  keys: PlanKeys
  /** Where the faults of the simulated upstreams are switched. */
  sim_url: string
  upstreams: UpstreamUrls
  samples: Samples
}

const pathIn = (dataDir: string): string => join(dataDir, 'demo.json')

/** `undefined` when no demo has run in this folder. */
export function readDemoFile(dataDir: string): DemoFile | undefined {
  try {
    return JSON.parse(readFileSync(pathIn(dataDir), 'utf8')) as DemoFile
  } catch {
    return undefined
  }
}

/** Only for the user who runs the demo: the file holds keys. */
export function writeDemoFile(dataDir: string, file: DemoFile): void {
  const path = pathIn(dataDir)
  const draft = `${path}.new`
  // Scripts wait for the file and read it at once: it appears whole.
  writeFileSync(draft, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, path)
}

export function removeDemoPid(dataDir: string): void {
  const file = readDemoFile(dataDir)
  if (file !== undefined) writeDemoFile(dataDir, { ...file, pid: null })
}
