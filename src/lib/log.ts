import { stripVTControlCharacters, styleText } from 'node:util'
import { type Logger, pino, stdTimeFunctions } from 'pino'

export type Log = Logger
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

type Destination = { isTTY?: boolean | undefined; write(line: string): unknown }

/**
 * The one logger: JSON lines, and readable ones on a terminal. Every line passes `redactKeys`, so a
 * key that strays into any field stays secret.
 */
export function createLog(level: LogLevel, out: Destination): Log {
  const show = out.isTTY === true ? formatLine : (line: string) => line
  const destination = { write: (line: string) => void out.write(show(redactKeys(line))) }
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  return pino(options, destination)
}

// The random part is the secret, whatever is left of the prefix; its underscore may come encoded.
const SECRET = /((?:live|operator)(?:_|%5f))[0-9a-f]{16,}/gi

const redactKeys = (text: string): string => text.replace(SECRET, '$1[redacted]')

type Color = 'red' | 'yellow' | 'green' | 'gray'

const COLORS: Record<string, Color> = { fatal: 'red', error: 'red', warn: 'yellow', info: 'green' }

type LineFields = Record<string, unknown> & {
  level: string
  time: string
  msg?: string
  err?: { message: string; stack?: string }
}

/** For people: time (UTC), level, message, fields; below them the stack of an error. */
function formatLine(line: string): string {
  const { level, time, msg = '', err, ...fields } = JSON.parse(line) as LineFields
  const label = paint(COLORS[level] ?? 'gray', level.padEnd(5))
  const text = err === undefined ? msg : `${msg}: ${stripVTControlCharacters(err.message)}`
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${showField(value)}`)
  const head = [time.slice(11, 19), label, text, paint('gray', shown.join(' '))]
  const [, ...stack] = err?.stack?.split('\n') ?? []
  const lines = [head.join(' ').trimEnd(), ...stack.map((at) => paint('gray', at))]
  return `${lines.join('\n')}\n`
}

/** What a peer sent must not move the cursor of the operator's terminal. */
function showField(value: unknown): string {
  const text = typeof value === 'string' ? stripVTControlCharacters(value) : JSON.stringify(value)
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text)
}

const paint = (color: Color, text: string): string =>
  text === '' || process.env.NO_COLOR ? text : styleText(color, text)
