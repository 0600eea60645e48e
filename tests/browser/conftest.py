"""A real browser without a window, spoken to over two pipes; no driver, no library.

Chromium's own protocol (--remote-debugging-pipe): JSON messages that end in NUL, commands on its
file descriptor 3, answers and events on 4.
"""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 120.0
"""Seconds for one answer; a machine may be busy, and nothing here is timed."""


@dataclass
class Seen:
    """What a page was like once it had loaded."""

    requests: list[str]
    complaints: list[str]
    tab: "Tab"


@dataclass
class Browser:
    """Chromium and its two pipes."""

    process: "subprocess.Popen[bytes]"
    out: int
    into: int
    buffer: bytes = b""
    last: int = 0
    events: list[dict[str, Any]] = field(default_factory=list)

    def ask(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """The answer to a command; events that come before it are kept."""
        self.last += 1
        asked = {"id": self.last, "method": method, "params": params}
        if session is not None:
            asked["sessionId"] = session
        data = json.dumps(asked).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data) :]
        while True:
            answer = self.message()
            if answer.get("id") == self.last:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def message(self) -> dict[str, Any]:
        """The next message."""
        end = time.monotonic() + PATIENCE
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.into], [], [], max(0.0, end - time.monotonic()))
            assert ready, "Chromium does not answer."
            read = os.read(self.into, 1 << 16)
            assert read, "Chromium ended."
            self.buffer += read
        text, _, self.buffer = self.buffer.partition(b"\0")
        found: dict[str, Any] = json.loads(text)
        return found

    def wait_for(self, method: str, session: str) -> None:
        """Until an event has come."""
        while not any(
            event.get("method") == method and event.get("sessionId") == session
            for event in self.events
        ):
            self.events.append(self.message())

    def tab(self) -> "Tab":
        """A new, empty tab whose requests and complaints are listened to."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for room in ("Page", "Network", "Runtime", "Log"):
            self.ask(f"{room}.enable", session)
        return Tab(self, target, session)


@dataclass
class Tab:
    """One page."""

    browser: Browser
    target: str
    session: str

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """A command to this page."""
        return self.browser.ask(method, self.session, **params)

    def look(self, width: int, scheme: str = "light", height: int = 900) -> None:
        """The width of the window, in CSS pixels, and the colour scheme."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.ask("Emulation.setEmulatedMedia", features=[feature])

    def open(self, page: Path) -> Seen:
        """Load a file; everything that it asked for or complained about."""
        self.browser.events.clear()
        self.ask("Page.navigate", url=page.as_uri())
        self.browser.wait_for("Page.loadEventFired", self.session)
        self.value("1")  # so that what the page said meanwhile has come too
        requests, complaints = [], []
        for event in self.browser.events:
            params = event.get("params", {})
            if event["method"] == "Network.requestWillBeSent":
                requests.append(params["request"]["url"])
            elif event["method"] == "Log.entryAdded":
                complaints.append(params["entry"]["text"])
            elif event["method"] == "Runtime.exceptionThrown":
                complaints.append(params["exceptionDetails"]["text"])
            elif event["method"] == "Runtime.consoleAPICalled":
                complaints.append(str(params["args"]))
        return Seen(requests, complaints, self)

    def value(self, expression: str) -> Any:
        """What a line of JavaScript gives, as JSON."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def picture(self, path: Path, whole: bool = True) -> None:
        """The page as a PNG."""
        data = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(data["data"]))

    def close(self) -> None:
        """The page goes away."""
        self.browser.ask("Target.closeTarget", targetId=self.target)


def start(profile: Path) -> Browser:
    """Chromium without a window; it fails, and says what to install, where there is none."""
    name = next((found for found in map(shutil.which, NAMES) if found), None)
    assert name is not None, (
        "These tests look at pages in a real browser, and there is none: install Debian's chromium "
        "(apt-get install --no-install-recommends chromium)."
    )
    commands, out = os.pipe()
    into, answers = os.pipe()
    # Numbers above those that Chromium wants, so that neither is in the way of the other.
    high = [fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (commands, answers)]
    os.close(commands)
    os.close(answers)

    def connect() -> None:
        os.dup2(high[0], 3)
        os.dup2(high[1], 4)

    process = subprocess.Popen(
        [
            name,
            "--headless",
            "--remote-debugging-pipe",
            "--no-sandbox",  # the tests run as root in a container, on pages of their own
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--hide-scrollbars",
            f"--user-data-dir={profile}",
            "about:blank",
        ],
        preexec_fn=connect,
        pass_fds=(3, 4),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for end in high:
        os.close(end)
    return Browser(process, out, into)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One Chromium for all tests."""
    found = start(tmp_path_factory.mktemp("chromium"))
    try:
        yield found
    finally:
        os.close(found.out)
        os.close(found.into)
        found.process.terminate()
        found.process.wait(timeout=PATIENCE)


@pytest.fixture
def tab(browser: Browser) -> Iterator[Tab]:
    """A tab of its own for each test."""
    made = browser.tab()
    yield made
    made.close()
