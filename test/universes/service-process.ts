import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

/** A process that is asked to end and takes longer hangs. */
const STOP_MS_MAX = 20_000
const START_MS_MAX = 120_000
const POLL_MS = 25

type ServiceOptions = {
  main: string
  roles: string
  port: number
  env: Readonly<Record<string, string>>
}

/** One process of the service under an address that stays, however often it is killed and started again. */
export class ServiceProcess {
  readonly url: string
  readonly roles: string
  /** All lines that it has logged, restarts included. */
  readonly lines: string[] = []
  readonly notices: string[] = []
  readonly #options: ServiceOptions
  #child: ChildProcess | undefined
  #isPaused = false
  /** Lines that were logged before the process that runs now. */
  #linesBefore = 0

  constructor(options: ServiceOptions) {
    this.#options = options
    this.roles = options.roles
    this.url = `http://127.0.0.1:${options.port}`
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Does not wait until it is ready. */
  start(): void {
    if (this.#child !== undefined) return
    const { main, roles, port, env } = this.#options
    const child = spawn(process.execPath, [main, 'up', '--port', `${port}`, '--roles', roles], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH ?? '', ...env },
    })
    this.#child = child
    this.#linesBefore = this.lines.length
    for (const stream of [child.stdout, child.stderr]) {
      let rest = ''
      stream.on('data', (chunk: Buffer) => {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        this.lines.push(...lines)
      })
    }
    child.once('exit', (code, signal) => {
      // Ended by itself: no step has asked for it.
      if (this.#child === child) this.notices.push(`it ended by itself, ${code ?? signal}`)
      if (this.#child === child) this.#child = undefined
    })
  }

  async kill(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  /** Asks it to end, and says so if it does not, or not well. */
  async stop(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    this.resume()
    this.#child = undefined
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
    const [code, signal] = await exited
    clearTimeout(timer)
    // One that has not said anything yet still loads its code, and the signal ends it as it ends any program.
    const isLoading = signal === 'SIGTERM' && this.lines.length === this.#linesBefore
    if (code !== 0 && !isLoading) this.notices.push(`it was asked to end, and ended with ${code ?? signal}`)
  }

  pause(): void {
    this.#isPaused = this.#child?.kill('SIGSTOP') ?? false
  }

  resume(): void {
    if (this.#isPaused) this.#child?.kill('SIGCONT')
    this.#isPaused = false
  }

  /** Whether it answers that it is ready within that time. */
  async untilReady(withinMs = START_MS_MAX): Promise<boolean> {
    for (const endMs = performance.now() + withinMs; performance.now() < endMs; await delay(POLL_MS)) {
      if (await this.#isReady()) return true
    }
    return false
  }

  async #isReady(): Promise<boolean> {
    try {
      const reply = await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(2_000) })
      await reply.arrayBuffer()
      return reply.status === 200
    } catch {
      return false
    }
  }
}
