import { Command } from 'commander'
import { addSimFlags, type SimFlags } from '../sim/flags.js'
import type { Config } from '../src/config/config.js'
import { addSettingFlags, readConfig } from '../src/config/setting-flags.js'
import { reportAndExit } from '../src/core/errors.js'
import { createLog } from '../src/lib/log.js'
import type { ServiceOptions } from '../src/service.js'
import { FolderBusy, findHolder, prepareDataFolder } from '../src/store/data-folder.js'
import { type Database, openDatabase } from '../src/store/database.js'
import { untilStopped } from '../src/until-stopped.js'
import { showBanner } from './banner.js'
import { createCatchUpBar } from './catch-up-bar.js'
import { readDemoFile, removeDemoPid, writeDemoFile } from './demo-file.js'
import { prepareKeys } from './keys.js'
import { type SimProcess, startSimulator } from './simulator.js'
import { simulatedEnvironment } from './upstream-settings.js'

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
  const { AUSPEX_LOG_LEVEL = 'warn' } = process.env
  const { config: ownConfig } = readConfig(command, { AUSPEX_LOG_LEVEL })
  const { dataDir } = ownConfig
  const { fresh = false } = options
  prepareDataFolder(dataDir)
  const holder = findHolder(dataDir)
  if (holder !== undefined) throw new FolderBusy(dataDir, holder)

  const log = createLog(ownConfig.logLevel, process.stdout)
  const owner = { command: 'npm run demo', log, fresh }
  // Both take a while, in which the service can be loaded.
  const starting = startSimulator(dataDir, options, fresh)
  const opening = openDatabase(ownConfig, { ...owner, isService: true })
  const loading = import('../src/service.js')
  loading.catch(() => undefined)
  const [simulator, database] = await openBoth(starting, opening)
  try {
    const environment = { AUSPEX_LOG_LEVEL, ...simulatedEnvironment(simulator.upstreams) }
    const { config } = readConfig(command, environment)
    const { clock } = simulator
    await serve(await loading, config, simulator, { ...owner, clock, database })
  } finally {
    await simulator.stop()
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

async function serve(
  { startService }: typeof import('../src/service.js'),
  config: Config,
  simulator: SimProcess,
  options: ServiceOptions,
): Promise<void> {
  const bar = createCatchUpBar()
  // While the universe still lives through its history, its own bar is shown.
  let isLived = false
  const onCatchUp: typeof bar.show = (progress) => {
    if (isLived) bar.show(progress)
  }
  const service = await startService(config, { ...options, onCatchUp })
  const { url: simUrl, upstreams } = simulator
  const failed = Promise.race([service.failed, simulator.failed])
  await untilStopped(
    { ...service, failed },
    {
      onStart: async () => {
        const samples = await simulator.samples
        isLived = true
        await service.ready
        bar.end()
        const { url } = service
        const keys = await prepareKeys(service.ctx, readDemoFile(config.dataDir)?.keys ?? {})
        const { pid } = process
        writeDemoFile(config.dataDir, { url, pid, keys, sim_url: simUrl, upstreams, samples })
        console.log(showBanner(url, keys, { url: simUrl, upstreams, samples }))
      },
      onStopping: () => {
        removeDemoPid(config.dataDir)
        console.log('\nStopping …')
      },
    },
  )
}
