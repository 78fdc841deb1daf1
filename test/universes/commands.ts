import { spawn } from 'node:child_process'
import { once } from 'node:events'

export type CommandRun = { code: number | null; output: string }

/** A command of the service, run to its end beside the services. */
export async function runCommand(
  main: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandRun> {
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '', ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}
