import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { findFreePort } from './free-port.js'
import { findProgram } from './system-programs.js'

export type BalancerName = 'nginx' | 'haproxy'

export type Balancer = { name: BalancerName; url: string; stop(): Promise<void> }

const DEPLOY = resolve(import.meta.dirname, '../deploy')
const START_MS_MAX = 10_000

/** Those that are installed here. */
export const BALANCERS = (['nginx', 'haproxy'] as const).filter((name) => findProgram(name) !== undefined)

/**
 * Starts a load balancer with the configuration of the repository, in which addresses alone are replaced. `streamUrls`:
 * of the processes that serve sockets, where they are others.
 */
export async function startBalancer(
  name: BalancerName,
  processUrls: readonly string[],
  streamUrls = processUrls,
): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), `auspex-${name}-`))
  const port = await findFreePort()
  const hosts = [...processUrls, ...streamUrls].map((url) => new URL(url).host)
  const own = `127.0.0.1:${port}`
  // The first mention of each address is the one for requests.
  const addresses = hosts.map((host, index): Replacement => [`127.0.0.1:${8080 + (index % 2)}`, host])
  const child =
    name === 'nginx'
      ? startNginx(folder, [['80;', `${own};`], ...addresses])
      : startHaproxy(folder, [[':80\n', `${own}\n`], ...addresses])
  const said: string[] = []
  child.stderr?.on('data', (chunk: Buffer) => said.push(chunk.toString()))
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await untilListening(port, child)
  } catch (error) {
    await stop()
    throw new Error(`${name} does not listen:\n${said.join('')}`, { cause: error })
  }
  return { name, url: `http://${own}`, stop }
}

/** Of the first place where it stands. */
type Replacement = readonly [from: string, to: string]

function readConfiguration(file: string, replacements: readonly Replacement[]): string {
  let text = readFileSync(join(DEPLOY, file), 'utf8')
  for (const [from, to] of replacements) {
    if (!text.includes(from)) throw new Error(`${file} does not name ${from.trim()}`)
    text = text.replace(from, to)
  }
  return text
}

/** The file belongs into the block `http` of a configuration such as Debian's; this one stays in the folder. */
function startNginx(folder: string, replacements: readonly Replacement[]): ChildProcess {
  const site = join(folder, 'auspex.conf')
  writeFileSync(site, readConfiguration('nginx.conf', replacements))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
    .join(' ')
  const main = join(folder, 'main.conf')
  writeFileSync(
    main,
    `daemon off; master_process off; pid ${join(folder, 'pid')};
     events { worker_connections 1024; }
     http { access_log off; ${temporary} include ${site}; }`,
  )
  return run('nginx', ['-e', 'stderr', '-p', folder, '-c', main])
}

function startHaproxy(folder: string, replacements: readonly Replacement[]): ChildProcess {
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, readConfiguration('haproxy.cfg', replacements))
  return run('haproxy', ['-db', '-f', file])
}

const run = (name: BalancerName, args: string[]): ChildProcess =>
  spawn(findProgram(name) ?? name, args, { stdio: ['ignore', 'ignore', 'pipe'] })

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_MS_MAX
  while (child.exitCode === null && performance.now() < deadline) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await new Promise((next) => setTimeout(next, 20))
  }
  throw new Error('nothing listens')
}
