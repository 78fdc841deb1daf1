import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'

/** The user that PostgreSQL runs under; `undefined` means ours. */
export type ServerUser = { uid: number; gid: number } | undefined

const NOBODY = 65_534

/**
 * PostgreSQL refuses to run as root. A root process gives the server to whoever owns the cluster
 * already (it may have been made by an ordinary user), and a new cluster to `nobody`.
 */
export function chooseServerUser(clusterDir: string): ServerUser {
  if (process.getuid?.() !== 0) return undefined
  const owner = statSync(clusterDir, { throwIfNoEntry: false })
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  return { uid: NOBODY, gid: NOBODY }
}

/** Whether that user may pass through `folder`: every parent counts, and so do access lists. */
export function canEnter(folder: string, user: ServerUser): boolean {
  if (user === undefined) return true
  return (
    spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...user, stdio: 'ignore' }).status === 0
  )
}
