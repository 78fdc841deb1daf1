import { readFileSync } from 'node:fs'

/** Messages as clients and the service send them, by the name of the message. */
export type StreamExamples = Record<string, { name: string; payload: unknown }[] | undefined>

export const readStreamExamples = (
  file = new URL('./examples.json', import.meta.url),
): StreamExamples => JSON.parse(readFileSync(file, 'utf8'))
