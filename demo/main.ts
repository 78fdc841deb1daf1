import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { addSimFlags, type SimFlags } from '../sim/flags.js'
import { SIM_CREDENTIALS } from '../sim/simulator.js'
import type { Config } from '../src/config/config.js'
import { addSettingFlags, readConfig } from '../src/config/setting-flags.js'
import { reportAndExit } from '../src/core/errors.js'
import { formatCount } from '../src/lib/progress.js'
import type { ServiceOptions } from '../src/service.js'
import { FolderBusy, findHolder, prepareDataFolder } from '../src/store/data-folder.js'
import { type Database, openDatabase } from '../src/store/database.js'
import { prepareKeys, readDemoFile, removeDemoPid, writeDemoFile } from './demo-file.js'
import { type SimProcess, simulatedEnvironment, startSimulator } from './simulator.js'
import { type DemoLog, formatBanner, openDemoLog, Phases } from './terminal.js'

type DemoOptions = SimFlags & { fresh?: boolean }

const demo = addSimFlags(new Command('demo'))
  .description(
    'Run everything on this machine: a simulated market universe, and a key for every plan.',
  )
  .option('--fresh', 'throw away what an earlier demo left in the data folder')
  .addHelpText('after', '\nExample:\n  $ npm run demo -- --port 9000 --data /tmp/auspex-demo')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .action((options: DemoOptions, command: Command) => runDemo(options, command))
addSettingFlags(demo, ['port', 'dataDir', 'logLevel'], { readsEnvironment: false })

await demo.parseAsync().catch(reportAndExit)

async function runDemo(options: DemoOptions, command: Command): Promise<void> {
  // The demo is the same everywhere: the settings of a real service on this machine do not reach it.
  const { AUSPEX_LOG_LEVEL = 'info' } = process.env
  const { config: ownConfig } = readConfig(command, { AUSPEX_LOG_LEVEL })
  const { dataDir } = ownConfig
  const { fresh = false } = options
  prepareDataFolder(dataDir)
  const holder = findHolder(dataDir)
  if (holder !== undefined) throw new FolderBusy(dataDir, holder)

  const demoLog = openDemoLog(dataDir, ownConfig.logLevel)
  const phases = new Phases()
  const owner = { command: 'npm run demo', log: demoLog.log, fresh }
  // Both take a while, in which the service can be loaded.
  const onProgress = (share: number) =>
    phases.show(share, { title: 'Simulating', unit: '', total: 1 })
  const starting = startSimulator(dataDir, options, { fresh, onProgress })
  const opening = openDatabase(ownConfig, { ...owner, isService: true })
  const loading = import('../src/service.js')
  loading.catch(() => undefined)
  try {
    const [simulator, database] = await openBoth(starting, opening)
    try {
      const environment = { AUSPEX_LOG_LEVEL, ...simulatedEnvironment(simulator.upstreams) }
      const { config } = readConfig(command, environment)
      await serve(await loading, { config, simulator, phases, demoLog }, { ...owner, database })
    } finally {
      await simulator.stop()
    }
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

type Demo = { config: Config; simulator: SimProcess; phases: Phases; demoLog: DemoLog }

async function serve(
  { startService, untilStopped }: typeof import('../src/service.js'),
  { config, simulator, phases, demoLog }: Demo,
  options: ServiceOptions,
): Promise<void> {
  let firstBlock: number | undefined
  let blocks = 0
  let isSimulated = false
  let isStopping = false
  const onCatchUp: ServiceOptions['onCatchUp'] = ({ fromBlock, toBlock, block }) => {
    firstBlock ??= fromBlock
    const total = toBlock + 1 - firstBlock
    blocks = block + 1 - firstBlock
    // Before that the bar of the simulation is shown.
    if (isSimulated) phases.show(blocks, { title: 'Ingesting', unit: 'blocks', total })
  }
  const { samples: simulating, clock, url: simUrl, upstreams } = simulator
  const opened = simulating.then(() => undefined)
  const service = await startService(config, { ...options, clock, opened, onCatchUp })
  const { url } = service
  await untilStopped(
    { ...service, failed: Promise.race([service.failed, simulator.failed]) },
    {
      onStart: async () => {
        const samples = await simulating
        phases.end('Universe', 'history simulated')
        isSimulated = true
        await untilCheck(url, 'chain')
        if (isStopping) return
        phases.end('Chain', `${formatCount(blocks)} blocks ingested`)
        await service.ready
        if (isStopping) return
        phases.end('Prices', 'candles of all coins filled')
        const keys = await prepareKeys(service.ctx, readDemoFile(config.dataDir)?.keys)
        const demo = {
          ...{ url, pid: process.pid, keys, sim_url: simUrl, upstreams },
          live_v2_credentials: SIM_CREDENTIALS.liveV2,
          chainlink_credentials: SIM_CREDENTIALS.chainlink,
          samples,
        }
        writeDemoFile(config.dataDir, demo)
        console.log(formatBanner(demo, demoLog.path))
      },
      onStopping: () => {
        isStopping = true
        phases.clear()
        removeDemoPid(config.dataDir)
        console.log('\nStopping …')
      },
    },
  )
}

/** Waits until `/readyz` says `ok` about a part of the service, or the service is gone. */
async function untilCheck(url: string, part: string): Promise<void> {
  for (;;) {
    const reply = await fetch(`${url}/readyz`).catch(() => undefined)
    if (reply === undefined) return
    const { checks } = (await reply.json()) as { checks: Record<string, string> }
    if (checks[part] === 'ok') return
    await sleep(100)
  }
}
