import { Command } from 'commander'
import { addSimFlags, HISTORY_MS, readFactor, type SimFlags } from './flags.js'
import { type Running, runSimulator } from './run.js'
import { SIM_CREDENTIALS } from './simulator.js'

/** The messages to the parent process. */
export type SimMessage =
  | { kind: 'progress'; share: number }
  | {
      kind: 'open'
      url: string
      upstreams: Running['simulator']['upstreams']
      time: Running['time']
    }
  | ({ kind: 'ready' } & Pick<Running, 'samples' | 'headBlock'>)

type Options = SimFlags & { intensity: number; state?: string }

const command = addSimFlags(new Command('sim'))
  .description('Run a simulated prediction-market universe that speaks the upstreams’ protocols.')
  .option('--intensity <factor>', 'how much is traded; 1 is about 17,500 fills a day', readFactor, 1)
  .option('--state <file>', 'continue the universe that this file remembers')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .action(run)

await command.parseAsync()

async function run({ history = HISTORY_MS, state, ...rest }: Options): Promise<void> {
  let running: Running | undefined
  let stopping = false
  const stop = async () => {
    if (stopping) return
    stopping = true
    await running?.stop()
    process.exit(0)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  // The parent process is gone.
  process.on('disconnect', stop)
  running = await runSimulator({
    ...rest,
    historyMs: history,
    statePath: state,
    onProgress: showProgress,
    onOpen: ({ simulator: { url, upstreams }, time }) => sendToParent({ kind: 'open', url, upstreams, time }),
  })
  const { samples, headBlock } = running
  sendToParent({ kind: 'ready', samples, headBlock })
  if (process.send === undefined) showBanner(running)
}

function sendToParent(message: SimMessage): void {
  // With a callback a parent that is gone is no error of this process.
  process.send?.(message, undefined, undefined, () => undefined)
}

function showProgress(share: number): void {
  sendToParent({ kind: 'progress', share })
  if (process.send !== undefined || !process.stderr.isTTY) return
  process.stderr.write(`\r\x1b[KGenerating history ${Math.floor(share * 100)} %`)
  if (share === 1) process.stderr.write('\r\x1b[K')
}

function showBanner({ simulator: { url, upstreams }, samples }: Running): void {
  const rows = Object.entries({ control: url, ...upstreams })
  const width = Math.max(...rows.map(([name]) => name.length))
  const { liveV2, chainlink, x } = SIM_CREDENTIALS
  console.log(`
The universe is running. Ctrl-C stops it.

${rows.map(([name, address]) => `  ${name.padEnd(width)}  ${address}`).join('\n')}

Credentials:
  live_v2    ${liveV2.apiKey} ${liveV2.secret} ${liveV2.passphrase}
  chainlink  ${chainlink.apiKey} ${chainlink.secret}
  x_api      ${x.bearerToken}

Try:
  curl '${upstreams.gamma}/events/slug/${samples.event_slug}'
  curl '${upstreams.clob}/book?token_id=${samples.token_id}'
  curl -d '{"upstream":"gamma","mode":"500","seconds":10}' ${url}/faults
`)
}
