import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const CACHE_DIR = join(import.meta.dirname, '../node_modules/.cache')

/** A Python with packages, or why there is none. */
export type PythonEnvironment = { python: string } | { missing: string }

/** Installs the packages of a file for the Python of this machine, once: pandas takes some seconds. */
export async function preparePython(requirements: string): Promise<PythonEnvironment> {
  const check = 'import sys, ensurepip, venv; assert sys.version_info >= (3, 11); print(sys.version)'
  const found = await run('python3', '-c', check)
  if (found.status !== 0) return { missing: 'there is no python3 of version 3.11 or later with venv' }
  const packages = readFileSync(requirements, 'utf8')
  const name = createHash('sha256').update(found.output).update(packages).digest('hex').slice(0, 12)
  const folder = join(CACHE_DIR, `python-${name}`)
  const python = join(folder, 'bin/python')
  if (existsSync(python)) return { python }

  mkdirSync(CACHE_DIR, { recursive: true })
  const draft = mkdtempSync(`${folder}-`)
  try {
    await run('python3', '-m', 'venv', draft)
    const options = [
      '--quiet',
      '--no-compile',
      '--retries',
      '1',
      '--timeout',
      '15',
      '--disable-pip-version-check',
    ]
    const install = ['-m', 'pip', 'install', ...options, '-r', requirements]
    const { status, output } = await run(join(draft, 'bin/python'), ...install)
    if (status !== 0) return { missing: `its packages could not be installed: ${output.split('\n').at(-1)}` }
    // It appears whole, or is that of another process that was faster.
    if (!existsSync(folder)) renameSync(draft, folder)
    return { python }
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

async function run(command: string, ...args: string[]): Promise<{ status: number | null; output: string }> {
  const child = spawn(command, args)
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(String(chunk)))
  const ended = await once(child, 'close').catch(() => [null])
  return { status: ended[0], output: output.join('').trim() }
}
