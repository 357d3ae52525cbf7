/** What differs between the templates. */

export const runtimes = {
  python: {
    title: 'Python',
    kit: 'vendor/quarterdeck_kit-0.1.0-py3-none-any.whl',
    start: ['python', '-m', 'app'],
    tryIt: [
      'python3 -m venv .venv',
      '.venv/bin/pip install -r requirements.txt',
      '.venv/bin/python -m app   # http://localhost:8000/slug?title=Hello',
    ],
  },
  node: {
    title: 'Node',
    kit: 'vendor/quarterdeck-kit-0.1.0.tgz',
    start: ['node', 'app/main.js'],
    tryIt: ['npm ci', 'npm start   # http://localhost:8000/slug?title=Hello'],
  },
} as const

export type Runtime = keyof typeof runtimes
