import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { tidyLater } from './tidy.js'

/** A part of a bench in a process of its own, such as `fairness/monitor`. */
export function startPart(script: string, args: string[] = []): ChildProcess {
  const execArgv = ['--max-semi-space-size=64']
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
