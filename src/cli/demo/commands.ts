import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { OperatorError } from '../../core/errors.js'

/** A program of its own, because the service and the simulator share no code. */
const PROGRAM = fileURLToPath(new URL('../../../bin/demo.js', import.meta.url))

/** The simulator makes much garbage. */
const NODE_FLAGS = ['--min-semi-space-size=64', '--max-semi-space-size=64']

/** Adds `demo` to the command line; the program that it starts reads the flags. */
export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description(
      'run everything on this machine against a simulated market universe, with a key for every plan',
    )
    .helpOption(false)
    .allowUnknownOption()
    .argument('[flags...]', 'see `auspex demo --help`')
    .action((flags: string[]) => runDemo(flags))
}

async function runDemo(flags: readonly string[]): Promise<void> {
  if (!existsSync(PROGRAM)) throw new OperatorError('The demo is not built.\nRun `npm run build` first.')
  const child = spawn(process.execPath, [...NODE_FLAGS, PROGRAM, ...flags], { stdio: 'inherit' })
  // Ctrl-C reaches the demo by itself; this process only waits for it.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  const [code] = await once(child, 'exit')
  process.exitCode = code ?? 1
}
