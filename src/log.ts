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

// The underscores may come percent-encoded, as in a URL that a client sent.
const KEY = /\b(ax|auspex)(?:_|%5f)live(?:_|%5f)[0-9a-z]+/gi

export const redactKeys = (text: string): string => text.replace(KEY, '$1_live_[redacted]')
