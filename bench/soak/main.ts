import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { simulatedEnvironment, startSimulator } from '../../demo/simulator.js'
import { loadConfig } from '../../src/config/config.js'
import { systemClock } from '../../src/core/clock.js'
import { createLog } from '../../src/lib/log.js'
import { formatTable } from '../../src/lib/table.js'
import { checkUpstreams } from '../../src/upstreams/check.js'
import { createUpstreamMetrics } from '../../src/upstreams/transport/metrics.js'
import { Upstreams } from '../../src/upstreams/upstreams.js'
import { createRng, drawFault, order } from './faults.js'
import { Memory } from './memory.js'
import { createSeen, startReaders } from './readers.js'
import { findLosses } from './verdict.js'

const [minutesText = '10', seedText = '1'] = process.argv.slice(2)
const minutes = Number(minutesText)
const seed = Number(seedText)
const FAULT_MS_MIN = 1_500
const FAULT_MS_MAX = 7_000
/** Breakers and sockets wait up to a minute before they try again. */
const RECOVERY_MS = 100_000

const dataDir = mkdtempSync(join(tmpdir(), 'auspex-soak-'))
const simulator = await startSimulator(dataDir, { seed, history: 3_600_000, speed: 1 })
const registry = new Registry()
const metrics = createUpstreamMetrics(registry)
const log = createLog('silent', process.stderr)
const { config } = loadConfig(simulatedEnvironment(simulator.upstreams))
const upstreams = new Upstreams(config, { metrics, clock: systemClock, log })
const stopping = new AbortController()
const seen = createSeen()
const memory = new Memory()
let failed = false

process.on('unhandledRejection', (error) => seen.surprises.push(`unhandled: ${error}`))
try {
  const startedMs = Date.now()
  await startReaders(upstreams, seen, log, stopping.signal)
  await torment(startedMs + minutes * 60_000)
  await order(simulator.url, { upstream: '*', mode: 'off' })
  console.log('Faults are off; waiting for recovery.')
  await sleep(RECOVERY_MS)
  failed = await judge(startedMs)
} finally {
  stopping.abort()
  await upstreams.close()
  await simulator.stop()
  rmSync(dataDir, { recursive: true })
}
process.exit(failed ? 1 : 0)

async function torment(untilMs: number): Promise<void> {
  const rng = createRng(seed)
  while (Date.now() < untilMs) {
    const fault = drawFault(rng)
    await order(simulator.url, fault)
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${JSON.stringify(fault)}`)
    await sleep(rng.between(FAULT_MS_MIN, FAULT_MS_MAX))
    memory.sample()
  }
}

async function judge(startedMs: number): Promise<boolean> {
  const findings = await checkUpstreams(config)
  const seconds = (Date.now() - startedMs) / 1000
  const losses = await findLosses(upstreams, seen, startedMs)
  const problems = [
    ...findings.filter(({ state }) => state !== 'ok').map(({ upstream, answer }) => `${upstream}: ${answer}`),
    ...losses,
    ...seen.surprises,
    ...(await findSpinning(seconds)),
    ...memory.problems(),
  ]
  console.log(
    formatTable([
      ...[...seen.answers].map(([name, { ok, failed }]) => [name, `${ok} ok`, `${failed} failed`]),
      ...[...seen.gaps].map(([name, gaps]) => [name, `${gaps} gaps`]),
      ...[...seen.ticks].map(([name, ticks]) => [name, `${ticks} ticks`]),
      ['blocks', String(seen.blocks.size)],
      ['pending', String(seen.pending)],
      ['book events', String(seen.bookEvents)],
      ['memory', memory.describe()],
    ]),
  )
  for (const problem of problems) console.log(`PROBLEM  ${problem}`)
  console.log(problems.length === 0 ? 'Every connector is healthy.' : `${problems.length} problems.`)
  return problems.length > 0
}

/** No socket is opened more than once a second in the long run. */
async function findSpinning(seconds: number): Promise<string[]> {
  const { values } = await metrics.reconnects.get()
  const attempts = new Map<string, number>()
  for (const { labels, value } of values) {
    const name = String(labels.upstream)
    attempts.set(name, (attempts.get(name) ?? 0) + value)
  }
  return [...attempts]
    .filter(([, count]) => count > seconds)
    .map(([name, count]) => `${name}: opened ${count} times in ${Math.round(seconds)} s`)
}
