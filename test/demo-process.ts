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
  const running = await startProcess('bin/demo.js', ['--port', '0', '--data', dataDir, ...args])
  await vi.waitFor(() => expect(running.output.join('')).toMatch(/Try first: open/), {
    timeout: START_TIMEOUT_MS,
  })
  return { ...running, file: JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) }
}

/** An answer of the demo's API, as a program of the largest plan gets it; with a body: to a POST. */
export async function askDemo<Body>({ url, keys }: DemoFile, path: string, body?: object): Promise<Body> {
  const reply = await fetch(url + path, {
    headers: { 'x-api-key': keys.enterprise, 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  })
  expect(reply.status, path).toBe(200)
  return (await reply.json()) as Body
}
