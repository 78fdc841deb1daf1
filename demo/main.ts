import { Command } from 'commander'
import { reportAndExit } from '../src/errors.js'
import { createLog } from '../src/log.js'
import { startService } from '../src/service.js'
import { addSettingFlags, readConfig } from '../src/setting-flags.js'
import { untilStopped } from '../src/until-stopped.js'
import { showBanner } from './banner.js'
import { readDemoFile, removeDemoPid, writeDemoFile } from './demo-file.js'
import { prepareKeys } from './keys.js'

type DemoOptions = { fresh?: boolean }

const demo = new Command('demo')
  .description('Run everything on this machine, with a key for every plan.')
  .option('--fresh', 'throw away what an earlier demo left in the data folder')
  .addHelpText('after', '\nExample:\n  $ npm run demo -- --port 9000 --data /tmp/auspex-demo')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .action((options: DemoOptions, command: Command) => runDemo(options, command))
addSettingFlags(demo, ['port', 'dataDir', 'logLevel'], { readsEnvironment: false })

await demo.parseAsync().catch(reportAndExit)

async function runDemo({ fresh = false }: DemoOptions, command: Command): Promise<void> {
  // The demo is the same everywhere: the settings of a real service on this machine do not reach it.
  const { AUSPEX_LOG_LEVEL = 'warn' } = process.env
  const { config } = readConfig(command, { AUSPEX_LOG_LEVEL })
  const log = createLog(config.logLevel, process.stdout)
  const service = await startService(config, { command: 'npm run demo', log, fresh })
  await untilStopped(service, {
    onStart: async () => {
      await service.ready
      const keys = await prepareKeys(service.ctx, readDemoFile(config.dataDir)?.keys ?? {})
      writeDemoFile(config.dataDir, { url: service.url, pid: process.pid, keys })
      console.log(showBanner(service.url, keys))
    },
    onStopping: () => {
      removeDemoPid(config.dataDir)
      console.log('\nStopping …')
    },
  })
  console.log('Stopped.')
}
