import { useSyncExternalStore } from 'react'

/** `system`: as the reader's machine is set. */
export type Theme = 'system' | 'light' | 'dark'

const THEMES: readonly Theme[] = ['system', 'light', 'dark']
const KEY = 'auspex-theme'

export const readTheme = (): Theme => THEMES.find((each) => each === localStorage.getItem(KEY)) ?? 'system'

export const nextTheme = (theme: Theme): Theme =>
  THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'

export function saveTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme)
  applyTheme()
  for (const listener of listeners) listener()
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = readTheme()
}

const listeners = new Set<() => void>()
const isDarkSystem = matchMedia('(prefers-color-scheme: dark)')

/** Changes whenever the colours do. */
export const useColours = (): string =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      isDarkSystem.addEventListener('change', listener)
      return () => {
        listeners.delete(listener)
        isDarkSystem.removeEventListener('change', listener)
      }
    },
    () => `${readTheme()} ${isDarkSystem.matches}`,
  )

/** Charts draw on a canvas, which knows no style sheets. */
export const colourOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
