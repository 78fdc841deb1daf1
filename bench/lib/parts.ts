import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { tidyLater } from './tidy.js'

/** For parts that make much garbage and are not measured themselves. */
const LARGE_SEMI_SPACE = ['--max-semi-space-size=64']

/** A part of a bench in a process of its own, such as `fairness/monitor`. `execArgv`: options of Node.js. */
export function startPart(
  script: string,
  args: string[] = [],
  execArgv: string[] = LARGE_SEMI_SPACE,
): ChildProcess {
  const child = fork(join(import.meta.dirname, '..', `${script}.js`), args, { execArgv })
  tidyLater(async () => void child.kill())
  return child
}

export async function nextMessage<T>(part: ChildProcess): Promise<T> {
  const [message] = await once(part, 'message')
  return message as T
}

/** Sends a part a message, and resolves with the one that it sends back. */
export async function askPart<T>(part: ChildProcess, question: object | string): Promise<T> {
  const answer = nextMessage<T>(part)
  part.send(question)
  return await answer
}
