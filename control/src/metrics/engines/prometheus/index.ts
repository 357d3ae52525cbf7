export { PrometheusEngine, type PrometheusOptions } from './prometheus-engine.ts'
