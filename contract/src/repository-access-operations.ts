/** What lets a private repository be read: a deploy key and pinned host keys, or a token. */
import { byName, operation } from './operation.ts'
import {
  deployKeyCreateDocument,
  hostKeyListDocument,
  hostKeysPinDocument,
  repositoryAccessDocument,
  repositoryTokenSetDocument,
} from './repository-access.ts'

const shown = { status: 200, document: repositoryAccessDocument } as const

export const repositoryAccessOperations = {
  readRepositoryAccess: operation({
    method: 'GET',
    path: '/api/projects/{name}/access',
    summary: 'How the repository of a project is read; nothing secret',
    params: byName,
    answer: shown,
  }),
  createDeployKey: operation({
    method: 'POST',
    path: '/api/projects/{name}/access/key',
    summary: 'Make a deploy key; its private half is never shown',
    params: byName,
    body: deployKeyCreateDocument,
    bodyOptional: true,
    answer: { status: 201, document: repositoryAccessDocument },
  }),
  removeDeployKey: operation({
    method: 'DELETE',
    path: '/api/projects/{name}/access/key',
    summary: 'Remove the deploy key: ssh uses what the machine itself has',
    params: byName,
    answer: { status: 204 },
  }),
  listHostKeys: operation({
    method: 'GET',
    path: '/api/projects/{name}/access/host-keys',
    summary: 'The keys that the ssh host of the repository shows to the project’s machine at this moment',
    params: byName,
    answer: { status: 200, document: hostKeyListDocument },
  }),
  pinHostKeys: operation({
    method: 'PUT',
    path: '/api/projects/{name}/access/host-keys',
    summary: 'Know the ssh host of the repository by these keys, and by no others',
    params: byName,
    body: hostKeysPinDocument,
    answer: shown,
  }),
  setRepositoryToken: operation({
    method: 'PUT',
    path: '/api/projects/{name}/access/token',
    summary: 'Set the token for the https host of the repository; it is never shown',
    params: byName,
    body: repositoryTokenSetDocument,
    answer: shown,
  }),
  removeRepositoryToken: operation({
    method: 'DELETE',
    path: '/api/projects/{name}/access/token',
    summary: 'Remove the token',
    params: byName,
    answer: { status: 204 },
  }),
} as const
