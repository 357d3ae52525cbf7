"""Deploys this commit: calls the deploy webhook, prints the log of the run as it comes, and ends with 1 exactly when
the deploy failed. It needs nothing but Python 3.9 or later.

DEPLOY_HOOK_URL and DEPLOY_TOKEN are secrets of the repository; commit, repository and the job's number come from GitHub
Actions. Running an earlier job again sends its commit once more, which is a rollback to it.
"""

from __future__ import annotations

import json
import os
import re
import ssl
import sys
import time
import unicodedata
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse
from typing import Any, NamedTuple
from urllib.parse import urlsplit

#: How long the server may be away before this job gives up on it. A run that was accepted goes on without it.
PATIENCE_S = float(os.environ.get("DEPLOY_PATIENCE_S") or 900)
#: The server says something every 15 seconds, if only that it is there.
SILENCE_S = 60
LONGEST_PAUSE_S = 30
SECRETS = "the repository's page on the forge, under Settings, Secrets and variables, Actions"
STEERING = ("Cc", "Cf", "Cs", "Zl", "Zp")
IN_ACTIONS = os.environ.get("GITHUB_ACTIONS") == "true"

Run = dict[str, Any]


class Red(Exception):
    """Why the job fails, in a sentence for whoever reads its log."""


class Busy(Exception):
    """The server is away or asks to come again; `after_s` says when, if it knows."""

    def __init__(self, why: str, after_s: float | None = None) -> None:
        super().__init__(why)
        self.after_s = after_s


class Job(NamedTuple):
    hook: str
    #: What stands before `/api`.
    admin: str
    token: str
    ref: str
    repository: str
    key: str


def main() -> int:
    try:
        job = read_job(os.environ)
        say(f"Deploying {job.repository} at {job.ref[:7]}.")
        with commands_ignored():
            run = see_through(job, start(job))
        sentence, good = ending(run)
        if not good:
            raise Red(sentence)
        say(f"✓ {sentence}")
        return 0
    except Red as red:
        # The runner shows it as an error, on the page of the run too.
        say(f"::error title=Deploy failed::{str(red).replace('%', '%25')}" if IN_ACTIONS else f"✗ {red}")
        return 1


def read_job(environment: Mapping[str, str]) -> Job:
    def setting(name: str) -> str:
        return environment.get(name, "").strip()

    missing = [name for name in ("DEPLOY_HOOK_URL", "DEPLOY_TOKEN") if not setting(name)]
    if missing:
        raise Red(
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not set. Add secrets at {SECRETS}. "
            "DEPLOY_HOOK_URL is https://admin.YOUR-DOMAIN/api/deploy/PROJECT; "
            "`qd token create PROJECT --label ci` makes a DEPLOY_TOKEN."
        )
    hook = setting("DEPLOY_HOOK_URL")
    admin, found, name = hook.partition("/api/deploy/")
    address = urlsplit(admin)
    if not found or not name or address.scheme not in ("http", "https") or not address.hostname:
        raise Red("DEPLOY_HOOK_URL is not of the form https://admin.YOUR-DOMAIN/api/deploy/PROJECT.")
    if address.scheme == "http" and not is_this_machine(address.hostname):
        raise Red("DEPLOY_HOOK_URL begins with http: the token would travel unencrypted. Use https.")
    token, ref, repository = setting("DEPLOY_TOKEN"), setting("GITHUB_SHA"), setting("GITHUB_REPOSITORY")
    if not re.fullmatch(r"[\x21-\x7e]+", token):
        raise Red("DEPLOY_TOKEN is not a token: it has white space or other characters inside. Set it anew.")
    if not ref or not repository:
        raise Red("GITHUB_SHA and GITHUB_REPOSITORY are not set: outside of a job, set them to commit and owner/repo.")
    number, attempt = setting("GITHUB_RUN_ID"), setting("GITHUB_RUN_ATTEMPT") or "1"
    key = f"{number}-{attempt}" if number else str(uuid.uuid4())
    return Job(hook, admin, token, ref, repository, key)


def start(job: Job) -> Run:
    """The accepted run. Asking again is safe: the key makes it the same call."""
    body = json.dumps({"ref": job.ref, "project": job.repository}).encode()
    headers = {"Content-Type": "application/json", "Idempotency-Key": job.key}
    patience = Patience()
    while True:
        try:
            with ask(job, job.hook, headers, body) as response:
                return run_in(response.read())
        except Busy as busy:
            patience.wait(busy, "Whether the call arrived is not known: see `qd runs`, and run this job again.")


def see_through(job: Job, run: Run) -> Run:
    """The run as it ended; one that gave way to a newer one hands over to it."""
    while True:
        ended = follow(job, run["id"])
        successor = ended.get("superseded_by")
        if ended["status"] != "superseded" or not successor:
            return ended
        say("It gave way to a newer run, which is followed now.")
        run = {"id": successor}


def follow(job: Job, run_id: str) -> Run:
    # Not its address: that of the server is a secret of the repository.
    say(f"Run {run_id}")
    seen, patience, shown = 0, Patience(), Shown()
    goes_on = f"The run goes on without this job: `qd run {run_id}` tells how it ends."
    while True:
        try:
            for event, data in events(job, run_id, seen):
                if event == "log" and data["seq"] > seen:
                    patience, seen = Patience(), data["seq"]
                    shown.line(data)
                elif event in ("run", "end"):
                    patience = Patience()
                    shown.run(data)
                    if event == "end":
                        return data
            raise Busy("the connection ended")
        except Busy as busy:
            patience.wait(busy, goes_on)
        except Red as red:
            raise Red(f"{red} {goes_on}") from red


def events(job: Job, run_id: str, seen: int) -> Iterator[tuple[str, Run]]:
    """The server-sent events of a run's log, from after the line that was seen last."""
    headers = {"Accept": "text/event-stream", "Last-Event-ID": str(seen)}
    event = ""
    with ask(job, f"{job.admin}/api/runs/{run_id}/log", headers) as response:
        try:
            for raw in response:
                field, _, value = raw.decode("utf-8", "replace").rstrip("\r\n").partition(": ")
                if field == "event":
                    event = value
                elif field == "data":
                    yield event, json.loads(value)
        except (OSError, HTTPException, ValueError) as error:
            raise Busy(f"the connection broke ({error})") from error


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would turn the call into another one, and take the token to another place."""

    def redirect_request(self, *_: Any) -> None:
        return None


opener = urllib.request.build_opener(NoRedirects)


def ask(job: Job, url: str, headers: dict[str, str], body: bytes | None = None) -> HTTPResponse:
    """An answer of 2xx. Busy: try again. Red: trying again would not help."""
    target, host = reachable(url)
    all_headers = {"Authorization": f"Bearer {job.token}", **headers, **host}
    request = urllib.request.Request(target, body, all_headers)
    try:
        response: HTTPResponse = opener.open(request, timeout=SILENCE_S)
        return response
    except urllib.error.HTTPError as error:
        why = refusal(error)
        if error.code in (408, 425, 429) or error.code >= 500:
            raise Busy(why, seconds(error.headers.get("Retry-After"))) from error
        raise Red(why) from error
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, ssl.SSLCertVerificationError):
            raise Red(f"The server's certificate is not trusted: {reason.verify_message}.") from error
        raise Busy(f"the server does not answer ({reason})") from error


def reachable(url: str) -> tuple[str, dict[str, str]]:
    """Names under .localhost are this machine, whatever its resolver says (RFC 6761)."""
    parts = urlsplit(url)
    if not (parts.hostname or "").endswith(".localhost"):
        return url, {}
    here = "127.0.0.1" if parts.port is None else f"127.0.0.1:{parts.port}"
    return parts._replace(netloc=here).geturl(), {"Host": parts.netloc}


def is_this_machine(host: str) -> bool:
    return host in ("localhost", "::1") or host.endswith(".localhost") or host.startswith("127.")


def refusal(error: urllib.error.HTTPError) -> str:
    """What the server said, and what to do about it."""
    if 300 <= error.code < 400:
        return f"The server answered {error.code}, a redirect: DEPLOY_HOOK_URL must be the final address."
    try:
        problem = json.loads(error.read(1_000_000))
        detail = str(problem["detail"])
        fields = [f"{each['field']}: {each['message']}" for each in problem.get("errors", [])]
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return f"The server answered {error.code}, and not as Quarterdeck does: is DEPLOY_HOOK_URL right?"
    said = " ".join([f"The server answered {error.code}: {detail}", *(f"({field})" for field in fields)])
    return f"{said} {remedies.get(problem.get('code'), '')}".rstrip()


remedies = {
    "unauthenticated": "Make a new token with `qd token create PROJECT --label ci`, and set DEPLOY_TOKEN to it.",
    "forbidden": "See that DEPLOY_HOOK_URL and DEPLOY_TOKEN are those of this project: `qd token list PROJECT`.",
    "invalid_fields": "See that the project is registered with this repository: `qd project show PROJECT`.",
}


def run_in(text: bytes) -> Run:
    try:
        run = json.loads(text)
        uuid.UUID(run["id"])
        return dict(run)
    except (ValueError, KeyError, TypeError) as error:
        raise Red("What answered is not Quarterdeck: is DEPLOY_HOOK_URL right?") from error


class Patience:
    """How long something that does not work is tried again."""

    def __init__(self) -> None:
        self.since: float | None = None
        self.pause_s = 1.0

    def wait(self, busy: Busy, otherwise: str) -> None:
        now = time.monotonic()
        if self.since is None:
            self.since = now
        pause_s = self.pause_s if busy.after_s is None else busy.after_s
        if now + pause_s > self.since + PATIENCE_S:
            raise Red(f"{sentence_of(busy)} It was tried for {now - self.since:.0f} s. {otherwise}")
        say(f"{sentence_of(busy)} Trying again in {pause_s:.0f} s.")
        time.sleep(pause_s)
        self.pause_s = min(self.pause_s * 2, LONGEST_PAUSE_S)


def sentence_of(busy: Busy) -> str:
    text = str(busy)
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def seconds(text: str | None) -> float | None:
    return float(text) if text and re.fullmatch(r"\d{1,6}", text) else None


class Shown:
    """A run on the screen: its log, and a line for each step that has ended, told once."""

    marks = {"succeeded": "✓", "skipped": "–", "failed": "✗"}

    def __init__(self) -> None:
        self.told: set[tuple[str, ...]] = set()
        self.last = ""

    def line(self, line: dict[str, Any]) -> None:
        self.last = line["text"]
        say(f"    {self.last}")

    def run(self, run: Run) -> None:
        if run["status"] == "queued" and self.is_news("queued"):
            say("It waits: another run of the project is under way, or the project is held.")
        for step in run["steps"]:
            name, mark = step["name"], self.marks.get(step["status"])
            if mark and self.is_news(step["machine"], name, mark):
                detail = step.get("detail") or ""
                say(f"{mark} {name}" if detail in self.last else f"{mark} {name:<15} {detail}")

    def is_news(self, *what: str) -> bool:
        known = what in self.told
        self.told.add(what)
        return not known


def ending(run: Run) -> tuple[str, bool]:
    """How the run ended, and whether that is well."""
    name, sha, status = run["project"], str(run.get("sha") or "")[:7], run["status"]
    if status == "succeeded":
        return f"{name} {'is back on' if run['kind'] == 'rollback' else 'now runs'} {sha}, proven healthy.", True
    if status == "superseded":
        return f"There was nothing to do: what {name} runs is newer.", True
    why = f": {run['error']['message']}" if run.get("error") else "."
    restored = run.get("restored_sha")
    touched = any(step["name"] == "restart" and step["started_at"] for step in run["steps"])
    if restored:
        after = f"{restored[:7]} runs again."
    else:
        after = "Nothing was put back: see what runs." if touched else "The service was not touched."
    return f"The {run['kind']} of {name} {'failed' if status == 'failed' else f'was {status}'}{why} {after}", False


def say(text: str) -> None:
    """Without characters that steer a terminal: a log may hold anything."""
    spaced = text.replace("\t", "    ")
    print("".join(each for each in spaced if unicodedata.category(each) not in STEERING), flush=True)


@contextmanager
def commands_ignored() -> Iterator[None]:
    """A line of the log that looks like a command to the runner (`::add-path::`) must not be taken for one."""
    token = uuid.uuid4().hex
    if IN_ACTIONS:
        say(f"::stop-commands::{token}")
    try:
        yield
    finally:
        if IN_ACTIONS:
            say(f"::{token}::")


if __name__ == "__main__":
    sys.exit(main())
