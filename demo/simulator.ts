import { type ChildProcess, fork } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { SimFlags } from '../sim/flags.js'
import type { SimMessage } from '../sim/main.js'
import { SIM_CREDENTIALS, type UpstreamUrls } from '../sim/simulator.js'
import { LAWS, readState } from '../sim/state-file.js'
import { simulatedMs } from '../sim/time.js'
import { FIRST_NUMBER } from '../sim/universe/chain.js'
import type { Environment } from '../src/config/config.js'
import { type Clock, systemClock } from '../src/core/clock.js'
import { OperatorError } from '../src/core/errors.js'

const STOP_MS_MAX = 2_000
/** The universe makes much garbage while its history is read: in a small semi-space that takes a third of the time. */
const LARGE_SEMI_SPACE = ['--min-semi-space-size=64', '--max-semi-space-size=64']

type MessageOf<Kind> = Extract<SimMessage, { kind: Kind }>

export type SimProcess = Pick<MessageOf<'open'>, 'url' | 'upstreams'> & {
  /** Resolves when the history is simulated. Until then only the chain can be read. */
  samples: Promise<MessageOf<'ready'>['samples']>
  /** Shows the time of the universe, which may pass faster than ours. */
  clock: Clock
  /** Rejects when the process ends without `stop`. */
  failed: Promise<never>
  stop(): Promise<void>
}

type StartOptions = { fresh?: boolean; onProgress?: (share: number) => void }

/** Starts the universe of this data folder in a process of its own, and waits until it can be asked. */
export async function startSimulator(
  dataDir: string,
  { seed, history, speed }: SimFlags,
  { fresh = false, onProgress = () => {} }: StartOptions = {},
): Promise<SimProcess> {
  const statePath = join(dataDir, 'sim.json')
  if (fresh) rmSync(statePath, { force: true })
  refuseOtherUniverse(dataDir, statePath, seed)
  const args = ['--seed', String(seed), '--speed', String(speed), '--state', statePath]
  if (history !== undefined) args.push('--history', `${history / 60_000}m`)
  const child = fork(join(import.meta.dirname, '../sim/main.js'), args, {
    execArgv: LARGE_SEMI_SPACE,
  })

  const ended = new Promise<number>((resolve) => {
    child.on('exit', (code) => resolve(code ?? 1))
  })
  const failed = ended.then((code): never => {
    throw new OperatorError(`The simulated universe ended unasked (exit code ${code}).`)
  })
  // After a stop this rejection is expected.
  failed.catch(() => undefined)
  child.on('message', (message: SimMessage) => {
    if (message.kind === 'progress') onProgress(message.share)
  })
  const opened = firstMessage(child, 'open')
  const samples = firstMessage(child, 'ready').then((message) => message.samples)
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
export function firstMessage<Kind extends SimMessage['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<MessageOf<Kind>> {
  return new Promise((resolve) => {
    child.on('message', (message: SimMessage) => {
      if (message.kind === kind) resolve(message as MessageOf<Kind>)
    })
  })
}

/** The variables that point every connector at the simulator, and ask for all of its history. */
export function simulatedEnvironment(urls: UpstreamUrls): Environment {
  const { liveV2, chainlink } = SIM_CREDENTIALS
  return {
    AUSPEX_POLYGON_URL: urls.polygon_http,
    AUSPEX_POLYGON_WS_URL: urls.polygon_ws,
    AUSPEX_POLYGON_CALLS_PER_SECOND: '1000',
    AUSPEX_FROM_BLOCK: String(FIRST_NUMBER),
    AUSPEX_GAMMA_URL: urls.gamma,
    AUSPEX_CLOB_URL: urls.clob,
    AUSPEX_CLOB_WS_URL: urls.clob_ws,
    AUSPEX_DATA_API_URL: urls.data_api,
    AUSPEX_SITE_URL: urls.site,
    AUSPEX_RTDS_WS_URL: urls.rtds,
    AUSPEX_LIVE_V2_WS_URL: urls.live_v2,
    AUSPEX_CHAINLINK_URL: urls.chainlink,
    AUSPEX_CHAINLINK_WS_URL: urls.chainlink_ws,
    AUSPEX_CLOB_API_KEY: liveV2.apiKey,
    AUSPEX_CLOB_SECRET: liveV2.secret,
    AUSPEX_CLOB_PASSPHRASE: liveV2.passphrase,
    AUSPEX_CHAINLINK_API_KEY: chainlink.apiKey,
    AUSPEX_CHAINLINK_SECRET: chainlink.secret,
    AUSPEX_CHAINLINK_CALLS_PER_SECOND: '500',
  }
}

/** What was read from one universe does not fit another. */
function refuseOtherUniverse(dataDir: string, statePath: string, seed: number): void {
  const kept = readState(statePath)
  if (kept === undefined || (kept.laws === LAWS && kept.seed === seed)) return
  const [held, advice] =
    kept.laws === LAWS
      ? [`the universe of seed ${kept.seed}`, `Continue it with --seed ${kept.seed}, throw`]
      : ['a universe of another version of the simulator', 'Throw']
  throw new OperatorError(
    `The data folder ${dataDir} holds ${held}.\n` +
      `${advice} it away with --fresh, or choose another folder with --data.`,
    2,
  )
}
