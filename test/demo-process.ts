import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import type { DemoFile } from '../demo/demo-file.js'
import { type Running, startProcess } from './processes.js'

/** As a machine needs it on which other tests run. */
const START_TIMEOUT_MS = 240_000

export type RunningDemo = Running & { file: DemoFile }

/** Starts the demo in a folder, and waits until its banner says what to try. */
export async function startDemo(dataDir: string, ...args: string[]): Promise<RunningDemo> {
  const running = await startProcess('demo/main.js', ['--port', '0', '--data', dataDir, ...args])
  await vi.waitFor(() => expect(running.output.join('')).toMatch(/Try first: open/), {
    timeout: START_TIMEOUT_MS,
  })
  return { ...running, file: JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) }
}
