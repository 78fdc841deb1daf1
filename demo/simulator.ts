import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { HISTORY_MS, type SimFlags, showDuration } from '../sim/flags.js'
import type { SimMessage } from '../sim/main.js'
import { SIM_CREDENTIALS, type UpstreamUrls } from '../sim/simulator.js'
import { LAWS, openState, readState } from '../sim/state-file.js'
import { simulatedMs } from '../sim/time.js'
import { FIRST_NUMBER } from '../sim/universe/chain.js'
import type { Environment } from '../src/config/config.js'
import { SETTINGS } from '../src/config/settings.js'
import { type Clock, systemClock } from '../src/core/clock.js'
import { OperatorError } from '../src/core/errors.js'
import { findCluster } from '../src/store/embedded/server-folders.js'
import { UPSTREAMS } from '../src/upstreams/upstreams.js'

/** In the data folder: what the simulator needs to continue its universe. */
const STATE_FILE = 'sim.json'

const STOP_MS_MAX = 2_000
/** The universe makes much garbage while its history is read: in a small semi-space that takes a third of the time. */
const LARGE_SEMI_SPACE = ['--min-semi-space-size=64', '--max-semi-space-size=64']

type MessageOf<Kind> = Extract<SimMessage, { kind: Kind }>

export type SimProcess = Pick<MessageOf<'open'>, 'url' | 'upstreams'> & {
  /** Names this universe among all others. */
  dataset: string
  /** Resolves when the history is simulated. Until then only the chain can be read. */
  simulated: Promise<Pick<MessageOf<'ready'>, 'samples' | 'headBlock'>>
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
  const statePath = join(dataDir, STATE_FILE)
  if (fresh) rmSync(statePath, { force: true })
  refuseOtherUniverse(dataDir, { seed, history })
  const { startMs } = openState({ seed, historyMs: history ?? HISTORY_MS, intensity: 1 }, statePath)
  const args = ['--seed', String(seed), '--speed', String(speed), '--state', statePath]
  const child = fork(join(import.meta.dirname, '../bin/sim.js'), args, {
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
  const simulated = firstMessage(child, 'ready')
  const { url, upstreams, time } = await Promise.race([opened, failed])
  return {
    url,
    upstreams,
    dataset: `simulation of seed ${seed} from ${new Date(startMs).toISOString()}`,
    simulated,
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

/** The variables that point every connector at the simulator, ask for all of its history, and let webhooks reach this machine. */
export function simulatedEnvironment(urls: UpstreamUrls): Environment {
  const { liveV2, chainlink, x } = SIM_CREDENTIALS
  const urlsByName: Readonly<Record<string, string>> = { ...urls, polygon: urls.polygon_http }
  const addresses = Object.entries(UPSTREAMS).map(([name, { address }]) => [
    SETTINGS[address].env,
    urlsByName[name],
  ])
  return {
    ...Object.fromEntries(addresses),
    AUSPEX_CHAINLINK_WS_URL: urls.chainlink_ws,
    AUSPEX_POLYGON_CALLS_PER_SECOND: '1000',
    AUSPEX_FROM_BLOCK: String(FIRST_NUMBER),
    AUSPEX_X_BEARER_TOKEN: x.bearerToken,
    AUSPEX_CLOB_API_KEY: liveV2.apiKey,
    AUSPEX_CLOB_SECRET: liveV2.secret,
    AUSPEX_CLOB_PASSPHRASE: liveV2.passphrase,
    AUSPEX_CHAINLINK_API_KEY: chainlink.apiKey,
    AUSPEX_CHAINLINK_SECRET: chainlink.secret,
    AUSPEX_CHAINLINK_CALLS_PER_SECOND: '500',
    // Receivers of webhooks run beside the demo.
    AUSPEX_WEBHOOK_NETWORKS: '127.0.0.0/8,::1',
  }
}

/** Throws unless the folder is free or a demo's: `--fresh` must not throw away the data of a service. */
export function refuseServiceFolder(dataDir: string): void {
  if (findCluster(dataDir) === undefined || existsSync(join(dataDir, STATE_FILE))) return
  throw new OperatorError(
    `The data folder ${dataDir} holds the database of a service, not of a demo.\n` +
      'Choose another folder with --data.',
    2,
  )
}

/** What was read from one universe does not fit another. */
function refuseOtherUniverse(dataDir: string, { seed, history }: Omit<SimFlags, 'speed'>): void {
  const kept = readState(join(dataDir, STATE_FILE))
  if (kept === undefined) return
  const refuse = (held: string, advice: string) =>
    new OperatorError(
      `The data folder ${dataDir} holds ${held}.\n` +
        `${advice} it away with --fresh, or choose another folder with --data.`,
      2,
    )
  if (kept.laws !== LAWS) throw refuse('a universe of another version of the simulator', 'Throw')
  if (kept.seed !== seed) {
    throw refuse(`the universe of seed ${kept.seed}`, `Continue it with --seed ${kept.seed}, throw`)
  }
  if (history !== undefined && history !== kept.historyMs) {
    throw refuse(
      `a universe that began with a history of ${showDuration(kept.historyMs)}`,
      'Continue it without --history, throw',
    )
  }
}
