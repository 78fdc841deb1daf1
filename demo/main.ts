import { Command } from 'commander'
import { addSimFlags, type SimFlags } from '../sim/flags.js'
import { SIM_CREDENTIALS } from '../sim/simulator.js'
import { FIRST_NUMBER } from '../sim/universe/chain.js'
import type { Config } from '../src/config/config.js'
import { DEMO_DATA_DIR } from '../src/config/service-address.js'
import { addSettingFlags, readConfig } from '../src/config/setting-flags.js'
import { REORG_BLOCKS_MAX } from '../src/core/blocks.js'
import { reportAndExit } from '../src/core/errors.js'
import { formatCount } from '../src/lib/progress.js'
import { stopSignal } from '../src/lib/stop-signal.js'
import { pollUntil } from '../src/lib/timing.js'
import type { Service, ServiceOptions } from '../src/service.js'
import { readiness } from '../src/status/readiness.js'
import { FolderBusy, findHolder, prepareDataFolder } from '../src/store/data-folder.js'
import { type Database, openDatabase } from '../src/store/database.js'
import {
  createSignInLink,
  prepareKeys,
  prepareOperatorKey,
  readDemoFile,
  removeDemoPid,
  writeDemoFile,
} from './demo-file.js'
import { refuseServiceFolder, type SimProcess, simulatedEnvironment, startSimulator } from './simulator.js'
import { type DemoLog, formatBanner, openDemoLog, Phases } from './terminal.js'

type DemoOptions = SimFlags & { fresh?: boolean }

/**
 * A demo lives on a laptop: its WAL stays below 256 MB, where that of a service may take a quarter of the memory
 * so that it reads history with few checkpoints. The server keeps to the size roughly, so it is set lower; pages that
 * come into the WAL whole, after each of the more frequent checkpoints, are compressed.
 */
const SERVER_SETTINGS = { max_wal_size: '192MB', wal_compression: 'on' }

const demo = addSimFlags(new Command('demo'))
  .description(
    'Run everything on this machine: a simulated market universe, and a key for every plan.\n' +
      `Its data is in ${DEMO_DATA_DIR} of this folder, unless --data names another.`,
  )
  .option('--fresh', 'throw away what an earlier demo left in the data folder')
  .addHelpText('after', '\nExample:\n  $ npm run demo -- --port 9000 --data /tmp/auspex-demo')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .action((options: DemoOptions, command: Command) => runDemo(options, command))
addSettingFlags(demo, ['port', 'dataDir', 'logLevel'], { readsEnvironment: false })

await demo.parseAsync().catch(reportAndExit)

async function runDemo(options: DemoOptions, command: Command): Promise<void> {
  const stopping = stopSignal()
  // The demo is the same everywhere: the settings of a real service on this machine do not reach it.
  const { AUSPEX_LOG_LEVEL = 'info' } = process.env
  const own = { AUSPEX_LOG_LEVEL, AUSPEX_DATA: DEMO_DATA_DIR }
  const { config: ownConfig } = readConfig(command, own)
  const { dataDir } = ownConfig
  const { fresh = false } = options
  refuseServiceFolder(dataDir)
  prepareDataFolder(dataDir)
  const holder = findHolder(dataDir)
  if (holder !== undefined) throw new FolderBusy(dataDir, holder)

  const demoLog = openDemoLog(dataDir, ownConfig.logLevel)
  const phases = new Phases()
  stopping.addEventListener('abort', () => {
    phases.clear()
    console.log('\nStopping …')
  })
  const owner = { command: 'npm run demo', log: demoLog.log, fresh, signal: stopping }
  // Both take a while, in which the service can be loaded.
  const onProgress = (share: number) => {
    if (!stopping.aborted) phases.show(share, { title: 'Simulating', unit: '', total: 1 })
  }
  const starting = startSimulator(dataDir, options, { fresh, onProgress })
  const settings = SERVER_SETTINGS
  const opening = openDatabase(ownConfig, { ...owner, isService: true, settings })
  const loading = import('../src/service.js')
  loading.catch(() => undefined)
  try {
    const [simulator, database] = await openBoth(starting, opening)
    try {
      const environment = {
        AUSPEX_RECORD_BOOKS: 'all',
        ...own,
        ...simulatedEnvironment(simulator.upstreams),
      }
      const { config } = readConfig(command, { ...environment, AUSPEX_DATASET: simulator.dataset })
      const parts = { config, simulator, phases, demoLog, stopping }
      await serve(await loading, parts, { ...owner, database })
    } finally {
      await simulator.stop()
    }
  } catch (error) {
    // Ctrl-C reaches all processes of the demo at once: what one says of the end of another is no fault.
    if (!stopping.aborted) throw error
  } finally {
    phases.clear()
    demoLog.close()
  }
  console.log('Stopped.')
}

/** When one of them fails the other is closed again. */
async function openBoth(
  starting: Promise<SimProcess>,
  opening: Promise<Database>,
): Promise<[SimProcess, Database]> {
  const [simulator, database] = await Promise.allSettled([starting, opening])
  if (simulator.status === 'fulfilled' && database.status === 'fulfilled') {
    return [simulator.value, database.value]
  }
  if (simulator.status === 'fulfilled') await simulator.value.stop()
  if (database.status === 'fulfilled') await database.value.close()
  throw [simulator, database].find((outcome) => outcome.status === 'rejected')?.reason
}

type Demo = {
  config: Config
  simulator: SimProcess
  phases: Phases
  demoLog: DemoLog
  stopping: AbortSignal
}

async function serve(
  { startService, untilStopped }: typeof import('../src/service.js'),
  { config, simulator, phases, demoLog, stopping }: Demo,
  options: ServiceOptions,
): Promise<void> {
  const { simulated, clock, url: simUrl, upstreams } = simulator
  const opened = simulated.then(() => undefined)
  const service = await startService(config, { ...options, clock, opened })
  const { url } = service
  const onStart = async () => {
    const { samples, headBlock } = await simulated
    if (stopping.aborted) return
    phases.end('Universe', 'history simulated')
    const blocks = await showIngest(service, phases, headBlock, stopping)
    if (stopping.aborted) return
    phases.end('Chain', `${formatCount(blocks)} blocks ingested`)
    await service.ready
    if (stopping.aborted) return
    phases.end('Prices', 'candles of all coins filled')
    const known = readDemoFile(config.dataDir)
    const keys = await prepareKeys(service, known?.keys)
    const demo = {
      url,
      ws_url: url.replace(/^http/, 'ws'),
      pid: process.pid,
      keys,
      operator_key: await prepareOperatorKey(service, known?.operator_key),
      sim_url: simUrl,
      upstreams,
      live_v2_credentials: SIM_CREDENTIALS.liveV2,
      chainlink_credentials: SIM_CREDENTIALS.chainlink,
      x_credentials: SIM_CREDENTIALS.x,
      samples,
    }
    writeDemoFile(config.dataDir, demo)
    const signInLink = await createSignInLink(service, keys.growth)
    console.log(formatBanner(demo, { logPath: demoLog.path, signInLink }))
  }
  const onStopping = () => removeDemoPid(config.dataDir)
  const failed = Promise.race([service.failed, simulator.failed])
  await untilStopped({ ...service, failed }, stopping, { onStart, onStopping })
}

/** Why the last blocks take longer than those before them, while the bar is nearly full. */
function noteOf(blocksLeft: number): string {
  if (blocksLeft > REORG_BLOCKS_MAX) return ''
  return blocksLeft > 0 ? '(the newest, one by one)' : '(those made meanwhile)'
}

/** Shows how much of the history up to this block is ingested, until the service is at the head. Returns the blocks. */
async function showIngest(
  { platform, domains }: Service,
  phases: Phases,
  headBlock: number,
  signal: AbortSignal,
): Promise<number> {
  const countTo = (block: number) => Math.max(0, block - FIRST_NUMBER + 1)
  const phase = { title: 'Ingesting', unit: 'blocks', total: countTo(headBlock) }
  const isAtHead = () => {
    if (signal.aborted) return true
    const { block } = domains.chain.head
    phases.show(countTo(block), phase, noteOf(headBlock - block))
    return readiness(platform).checks.chain === 'ok'
  }
  await pollUntil(isAtHead, { everyMs: 100, signal })
  return countTo(domains.chain.head.block)
}
