/**
 * What a process does of the service's work.
 * - `ingest`: books the chain and collects prices. One books at a time, others stand by.
 * - `api`: answers REST and shows the pages.
 * - `stream`: serves WebSockets.
 * - `worker`: webhooks, boards, audit and all other jobs, shared between the workers.
 */
export const ROLES = ['ingest', 'api', 'stream', 'worker'] as const

export type Role = (typeof ROLES)[number]

/** In the order of `ROLES`, each once. */
export function parseRoles(text: string): Role[] {
  const given = text.split(',').map((part) => part.trim().toLowerCase())
  const unknown = given.find((part) => !ROLES.some((role) => role === part))
  if (unknown !== undefined) throw new Error(`"${unknown}" is no role; there are ${ROLES.join(', ')}`)
  return ROLES.filter((role) => given.includes(role))
}

/** Whether a process with these roles has one of those that are wanted. */
export const hasRole = (own: readonly Role[], wanted: readonly Role[]): boolean =>
  wanted.some((role) => own.includes(role))
