import { lazy, Suspense } from 'react'
import type { TimeChart } from './time-chart.js'

const Loading = lazy(() => import('./time-chart.js').then((module) => ({ default: module.TimeChart })))

/** A chart whose code is loaded when the first one is shown: most of a first load would be charts. */
export const LazyChart = (props: Parameters<typeof TimeChart>[0]) => (
  <Suspense fallback={<div className={props.isLow === true ? 'chart low' : 'chart'} />}>
    <Loading {...props} />
  </Suspense>
)
