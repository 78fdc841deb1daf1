import { existsSync, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import packed from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

/** Tests and benches run in the folder of the project. */
const ROOT = process.cwd()
/** Where the packed browser is unpacked, once: it takes some seconds. */
const CACHE_DIR = join(ROOT, 'node_modules/.cache/chromium')
/** In a single process the browser ends with its first page; the others are about graphics cards. */
const LEFT_OUT = ['--single-process', '--in-process-gpu', '--ignore-gpu-blocklist']
const SYSTEM_NAMES = ['chromium', 'chromium-browser', 'google-chrome']

/** A real Chromium: the one of a package where that has one for this machine, else that of the system. */
export async function launchChromium(): Promise<Browser> {
  const hasPacked = process.platform === 'linux' && process.arch === 'x64'
  if (!hasPacked) return await chromium.launch({ executablePath: findSystemChromium() })
  // Drawing as a graphics card would, in software, takes a third of the time of the tests.
  packed.setGraphicsMode = false
  const args = packed.args.filter((arg) => !LEFT_OUT.includes(arg))
  return await chromium.launch({ executablePath: await unpack(), args: [...args, '--disable-gpu'] })
}

async function unpack(): Promise<string> {
  const { TMPDIR } = process.env
  mkdirSync(CACHE_DIR, { recursive: true })
  process.env.TMPDIR = CACHE_DIR
  try {
    return await packed.executablePath()
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  }
}

function findSystemChromium(): string {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const paths = folders.flatMap((folder) => SYSTEM_NAMES.map((name) => join(folder, name)))
  const found = paths.find((path) => existsSync(path))
  if (found === undefined) {
    throw new Error(
      `These tests need a Chromium: install one, so that PATH has ${SYSTEM_NAMES.join(' or ')}.`,
    )
  }
  return found
}
