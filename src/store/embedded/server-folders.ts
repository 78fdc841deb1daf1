import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { codeOf, messageOf, OperatorError } from '../../core/errors.js'

/** The folders of one embedded server. They belong to `user` and are closed to all others. */
export type ServerFolders = {
  user: ServerUser
  clusterDir: string
  socketDir: string
  logFile: string
  /** Where a copy of the binaries goes when the installed ones cannot be run. */
  copyDir: string
}

const LINK_NAME = 'postgres'

// For a root whose data folder lies where no other user may enter, such as below /root.
const SHARED_STATE_DIR = '/var/lib/auspex'

// A Unix socket path has at most 103 characters on macOS and 107 on Linux, file name included.
const SOCKET_PATH_LENGTH_MAX = 103

/** Finds or makes the server's folder: `<data>/postgres`, or a link there to one that its user can enter. */
export function prepareServerFolders(dataDir: string): ServerFolders {
  const link = join(dataDir, LINK_NAME)
  try {
    const user = chooseServerUser(join(link, 'cluster'))
    if (!existsSync(link)) makeServerFolder(dataDir, link, user)
    const folder = realpathSync(link)
    return {
      user,
      clusterDir: join(folder, 'cluster'),
      socketDir: prepareSocketDir(folder, user),
      logFile: join(folder, 'postgres.log'),
      copyDir: user === undefined ? dataDir : SHARED_STATE_DIR,
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(
      `Cannot use the database folder ${link}: ${messageOf(error)}.\n` +
        'It may belong to another user: start Auspex as that user or as root, or choose another folder with --data.',
      1,
      { cause: error },
    )
  }
}

/** Where the cluster of this data folder is, if it has one. */
export function findCluster(dataDir: string): string | undefined {
  const cluster = join(dataDir, LINK_NAME, 'cluster')
  return existsSync(cluster) ? realpathSync(cluster) : undefined
}

/** Deletes the server's folder and everything in it. The server must be down. */
export function removeServerFolders(dataDir: string): void {
  const link = join(dataDir, LINK_NAME)
  if (existsSync(link)) rmSync(realpathSync(link), { recursive: true, force: true })
  rmSync(link, { force: true })
}

function makeServerFolder(dataDir: string, link: string, user: ServerUser): void {
  // A link whose target is gone holds nothing worth keeping.
  rmSync(link, { force: true })
  if (canEnter(dataDir, user)) {
    makePrivateFolder(link, user)
    return
  }
  mkdirSync(SHARED_STATE_DIR, { recursive: true })
  // Whatever the umask says: the server's user passes through.
  chmodSync(SHARED_STATE_DIR, 0o711)
  const folder = join(SHARED_STATE_DIR, `${basename(dataDir)}-${shortHash(dataDir)}`)
  setAside(folder)
  makePrivateFolder(folder, user)
  symlinkSync(folder, link)
}

// The data folder was deleted and its database stayed here: kept once, in case that was a mistake.
function setAside(folder: string): void {
  if (!existsSync(folder)) return
  rmSync(`${folder}.old`, { recursive: true, force: true })
  renameSync(folder, `${folder}.old`)
}

function prepareSocketDir(folder: string, user: ServerUser): string {
  const beside = join(folder, 'sock')
  const fits = join(beside, '.s.PGSQL.5432').length <= SOCKET_PATH_LENGTH_MAX
  const socketDir = fits ? beside : join(tmpdir(), `auspex-${shortHash(folder)}`)
  makePrivateFolder(socketDir, user)
  return socketDir
}

/** Makes the folder unless it is there, and refuses one that another user prepared for us. */
function makePrivateFolder(path: string, user: ServerUser): void {
  try {
    mkdirSync(path, { mode: 0o700 })
    if (user !== undefined) lchownSync(path, user.uid, user.gid)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  const found = lstatSync(path)
  const expected = user?.uid ?? process.getuid?.()
  if (!found.isDirectory()) throw new OperatorError(`${path} is not a folder. Remove it and start again.`)
  if (found.uid !== expected) {
    throw new OperatorError(
      `${path} belongs to user ${found.uid}, not to ${expected}. Remove it and start again.`,
    )
  }
  if ((found.mode & 0o077) !== 0) chmodSync(path, 0o700)
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12)

/** The user that PostgreSQL runs under; `undefined` means ours. */
export type ServerUser = { uid: number; gid: number } | undefined

const NOBODY = 65_534

/**
 * PostgreSQL refuses to run as root. A root process runs the server as the owner of the cluster
 * (an ordinary user may have made it), and a new cluster as the user `nobody`.
 */
function chooseServerUser(clusterDir: string): ServerUser {
  if (process.getuid?.() !== 0) return undefined
  const owner = statSync(clusterDir, { throwIfNoEntry: false })
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  return { uid: NOBODY, gid: NOBODY }
}

/** Whether that user may pass through `folder`: every parent counts, and so do access lists. */
export function canEnter(folder: string, user: ServerUser): boolean {
  if (user === undefined) return true
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...user, stdio: 'ignore' }).status === 0
}
