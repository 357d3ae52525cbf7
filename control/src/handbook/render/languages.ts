/** The languages that code is coloured in, loaded when one is met. Another one is shown as it is. */
import type { LanguageRegistration } from '@shikijs/core'

type Load = () => Promise<{ default: LanguageRegistration[] }>

const shell: Load = () => import('@shikijs/langs/shellscript')
const session: Load = () => import('@shikijs/langs/shellsession')
const javascript: Load = () => import('@shikijs/langs/javascript')
const typescript: Load = () => import('@shikijs/langs/typescript')
const python: Load = () => import('@shikijs/langs/python')
const yaml: Load = () => import('@shikijs/langs/yaml')
const ini: Load = () => import('@shikijs/langs/ini')

export const languages: Readonly<Record<string, Load>> = {
  sh: shell,
  bash: shell,
  shell,
  console: session,
  js: javascript,
  javascript,
  ts: typescript,
  typescript,
  jsx: () => import('@shikijs/langs/jsx'),
  tsx: () => import('@shikijs/langs/tsx'),
  py: python,
  python,
  yaml,
  yml: yaml,
  json: () => import('@shikijs/langs/json'),
  toml: () => import('@shikijs/langs/toml'),
  ini,
  conf: ini,
  systemd: () => import('@shikijs/langs/systemd'),
  sql: () => import('@shikijs/langs/sql'),
  html: () => import('@shikijs/langs/html'),
  css: () => import('@shikijs/langs/css'),
  go: () => import('@shikijs/langs/go'),
  rust: () => import('@shikijs/langs/rust'),
  java: () => import('@shikijs/langs/java'),
  php: () => import('@shikijs/langs/php'),
  ruby: () => import('@shikijs/langs/ruby'),
  nginx: () => import('@shikijs/langs/nginx'),
  http: () => import('@shikijs/langs/http'),
  diff: () => import('@shikijs/langs/diff'),
  dockerfile: () => import('@shikijs/langs/docker'),
}
