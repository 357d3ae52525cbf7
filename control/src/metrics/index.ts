export { exportSeries } from './exported-series.ts'
export { MetricsServer } from './metrics-server.ts'
export { metricsRoutes } from './routes.ts'
export { WatchedPlaces } from './watched-places.ts'
