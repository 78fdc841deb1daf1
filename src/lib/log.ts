import { type Logger, pino, stdTimeFunctions } from 'pino'

export type Log = Logger
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** The one logger. Every line passes `redactKeys`, so a key that strays into any field stays secret. */
export function createLog(level: LogLevel, out: { write(line: string): unknown }): Log {
  const destination = { write: (line: string) => void out.write(redactKeys(line)) }
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  return pino(options, destination)
}

// The random part is the secret, whatever is left of the prefix; its underscore may come encoded.
const SECRET = /(live(?:_|%5f))[0-9a-f]{16,}/gi

const redactKeys = (text: string): string => text.replace(SECRET, '$1[redacted]')
