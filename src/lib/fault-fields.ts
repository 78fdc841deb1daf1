import { isOutage } from '../core/database-fault.js'
import { ApiError, messageOf, OutsideFault } from '../core/errors.js'
import { TimeoutError } from './timeout.js'

/**
 * The fields of a log line about failed work. An upstream or a database that is away is expected, and so is a process
 * that stops: its text says everything. Any other error is a fault of ours, and its stack says where.
 */
export function faultFields(error: unknown): { reason: string } | { err: unknown } {
  return isExpectedFault(error) ? { reason: messageOf(error) } : { err: error }
}

export const isExpectedFault = (error: unknown): boolean =>
  error instanceof OutsideFault ||
  (error instanceof ApiError && error.status === 503) ||
  error instanceof TimeoutError ||
  (error instanceof DOMException && error.name === 'TimeoutError') ||
  isOutage(error)
