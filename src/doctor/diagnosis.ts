import type { OperatorError } from '../core/errors.js'

/** What `auspex doctor` says about one part. `todo`: what the operator can do about it. */
export type Diagnosis = {
  part: string
  state: 'ok' | 'warning' | 'failed' | 'off'
  found: string
  todo?: string
}

export const fine = (part: string, found: string): Diagnosis => ({ part, state: 'ok', found })

/** The first line of such an error says what is wrong, and the second what to do. */
export function failedBy(part: string, { message }: OperatorError): Diagnosis {
  const [found = '', todo = ''] = message.split('\n')
  return { part, state: 'failed', found, todo }
}
