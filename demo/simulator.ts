import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { SimFlags } from '../sim/flags.js'
import type { SimMessage } from '../sim/main.js'
import { LAWS, readState } from '../sim/state-file.js'
import { simulatedMs } from '../sim/time.js'
import { type Clock, systemClock } from '../src/core/clock.js'
import { OperatorError } from '../src/core/errors.js'
import { Progress } from '../src/lib/progress.js'

const STOP_MS_MAX = 2_000
/** The universe makes much garbage while its history is read: with a small nursery, a third of its time. */
const LARGE_NURSERY = ['--min-semi-space-size=64', '--max-semi-space-size=64']

type Heard<Kind> = Extract<SimMessage, { kind: Kind }>

export type SimProcess = Pick<Heard<'open'>, 'url' | 'upstreams'> & {
  /** Resolves when the universe has lived through its history. Until then only its chain can be read. */
  samples: Promise<Heard<'ready'>['samples']>
  /** Shows the time of the universe, which may pass faster than ours. */
  clock: Clock
  /** Rejects when the universe ends unasked. */
  failed: Promise<never>
  stop(): Promise<void>
}

/** Starts the universe of this data folder in a process of its own, and waits until it can be asked. */
export async function startSimulator(
  dataDir: string,
  { seed, history, speed }: SimFlags,
  fresh: boolean,
): Promise<SimProcess> {
  const statePath = join(dataDir, 'sim.json')
  if (fresh) rmSync(statePath, { force: true })
  refuseOtherUniverse(dataDir, statePath, seed)
  const args = ['--seed', String(seed), '--speed', String(speed), '--state', statePath]
  if (history !== undefined) args.push('--history', `${history / 60_000}m`)
  const child = fork(join(import.meta.dirname, '../sim/main.js'), args, { execArgv: LARGE_NURSERY })

  const ended = new Promise<number>((resolve) => {
    child.on('exit', (code) => resolve(code ?? 1))
  })
  const failed = ended.then((code): never => {
    throw new OperatorError(`The simulated universe ended unasked (exit code ${code}).`)
  })
  // A stop ends it too, and nobody listens then.
  failed.catch(() => undefined)
  const bar = new Progress({ title: 'Simulating', unit: '', total: 1 })
  child.on('message', (message: SimMessage) => {
    if (message.kind === 'progress') bar.show(message.share)
    if (message.kind === 'ready') bar.end()
  })
  const opened = heard(child, 'open')
  const samples = heard(child, 'ready').then((message) => message.samples)
  const { url, upstreams, time } = await Promise.race([opened, failed])
  return {
    url,
    upstreams,
    samples,
    clock: { now: () => simulatedMs(time, systemClock.now()) },
    failed,
    stop: async () => {
      if (child.connected) child.disconnect()
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
      await ended
      clearTimeout(timer)
    },
  }
}

/** The first message of a kind. */
export function heard<Kind extends SimMessage['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<Heard<Kind>> {
  return new Promise((resolve) => {
    child.on('message', (message: SimMessage) => {
      if (message.kind === kind) resolve(message as Heard<Kind>)
    })
  })
}

/** What was read from one universe does not fit another. */
function refuseOtherUniverse(dataDir: string, statePath: string, seed: number): void {
  const kept = existsSync(statePath) ? readState(statePath) : undefined
  if (kept === undefined) return
  if (kept.laws !== LAWS) {
    throw new OperatorError(
      `The data folder ${dataDir} holds a universe of another version of the simulator.\n` +
        `Throw it away with --fresh, or choose another folder with --data.`,
      2,
    )
  }
  if (kept.seed === seed) return
  throw new OperatorError(
    `The data folder ${dataDir} holds the universe of seed ${kept.seed}.\n` +
      `Continue it with --seed ${kept.seed}, throw it away with --fresh, or choose another folder with --data.`,
    2,
  )
}
