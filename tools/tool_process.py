"""What every tool here shares as a process: its command line, its errors, its streams.

* A fault of the user or of the module is a ToolError: one line on standard error, exit 1.
  A wrong command line is one line too, exit 2. A traceback is a defect of the tool.
* Standard output carries the protocol alone; what libraries print goes to standard error.
* The StableHLO interpreter ends its process on what it cannot evaluate (LLVM's fatal
  errors, an integer division by zero). Work that may meet this runs in a forked child, so
  that the tool itself survives and names the cause. Fork before a library starts threads:
  import jaxlib only inside the child.
"""

import argparse
import os
import re
import resource
import signal
import sys
import tempfile


class ToolError(Exception):
    """A failure the caller can act on; its text is one line."""


class CommandLine(argparse.ArgumentParser):
    """An argument parser whose complaint is one line and whose help ends in an example."""

    def __init__(self, description, example):
        super().__init__(
            description=description,
            epilog="example:\n  " + example,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    def error(self, message):
        self.exit(2, f"{self.prog}: {message} (see --help)\n")


def one_line(text):
    return " ".join(str(text).split())


def complain(message):
    print(f"{os.path.basename(sys.argv[0])}: {one_line(message)}", file=sys.stderr, flush=True)


def missing_module(fault):
    return f"no Python module {fault.name}: run script/bootstrap, then use build/python/bin/python"


def read_text(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as fault:
        raise ToolError(f"{path}: cannot be read: {fault.strerror}") from None
    except UnicodeDecodeError as fault:
        raise ToolError(f"{path}: not UTF-8 text at byte {fault.start}") from None


def claim_standard_output():
    """Returns a descriptor of standard output that no library knows; theirs is now stderr."""
    sys.stdout.flush()
    own = os.dup(1)
    os.dup2(2, 1)
    return own


def write_all(descriptor, data):
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def run_tool(body):
    """Ends the process with what `body()` returns, or with a one-line error and 1."""
    try:
        status = body()
    except ToolError as fault:
        complain(fault)
        status = 1
    except ModuleNotFoundError as fault:
        complain(missing_module(fault))
        status = 1
    except BrokenPipeError:
        complain("the reader of the output went away")
        status = 1
    except KeyboardInterrupt:
        status = 128 + signal.SIGINT
    sys.stderr.flush()
    os._exit(status or 0)  # no teardown: a device runtime's threads may outlive main


def cause_of_death(status, log):
    """Says why a child ended: `status` as of waitpid, `log` what it wrote to stderr."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith("LLVM ERROR:") or re.match(r"F\d{4} ", line)]
    last = (fatal or lines or ["no message"])[-1].removeprefix("LLVM ERROR:").strip()
    if not os.WIFSIGNALED(status):
        return f"ended with exit status {os.WEXITSTATUS(status)}: {last}"
    number = os.WTERMSIG(status)
    if number == signal.SIGFPE and not fatal:
        last = "integer division by zero"
    return f"was ended by {signal.Signals(number).name}: {last}"


def _fork(log):
    """Forks with the child's stderr in `log`; returns the child's id, 0 in the child."""
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.dup2(log.fileno(), 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a fatal error is no news worth a core
    return child


def run_guarded_tool(body):
    """`run_tool` in a child, so that a fatal error in a library is still one line and exit 1."""
    log = tempfile.TemporaryFile()
    child = _fork(log)
    if child == 0:
        run_tool(body)
    try:
        _, status = os.waitpid(child, 0)
    except KeyboardInterrupt:
        os._exit(128 + signal.SIGINT)
    log.seek(0)
    text = log.read()
    if os.WIFEXITED(status):
        write_all(2, text)
        os._exit(os.WEXITSTATUS(status))
    complain("the evaluation " + cause_of_death(status, text.decode(errors="replace")))
    os._exit(1)


class Worker:
    """A child that answers one line with one line; started again after it died."""

    def __init__(self, answer):
        self._answer = answer
        self._log = tempfile.TemporaryFile()
        self._start()

    def _start(self):
        request_read, request_write = os.pipe()
        reply_read, reply_write = os.pipe()
        self._log.seek(0)
        self._log.truncate()
        self._child = _fork(self._log)
        if self._child == 0:
            os.close(request_write)
            os.close(reply_read)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            run_tool(lambda: self._serve(request_read, reply_write))
        os.close(request_read)
        os.close(reply_write)
        self._requests = os.fdopen(request_write, "wb")
        self._replies = os.fdopen(reply_read, "rb")

    def _serve(self, requests, replies):
        for line in os.fdopen(requests, "rb"):
            write_all(replies, self._answer(line) + b"\n")

    def ask(self, line):
        """Returns the reply line. Raises ToolError when the child died on this request."""
        try:
            self._requests.write(line.rstrip(b"\n") + b"\n")
            self._requests.flush()
            reply = self._replies.readline()
        except BrokenPipeError:
            reply = b""
        if reply.endswith(b"\n"):
            return reply
        self._replies.close()
        try:
            self._requests.close()
        except BrokenPipeError:
            pass  # the unsent rest of the request that killed the child
        _, status = os.waitpid(self._child, 0)
        self._log.seek(0)
        log = self._log.read().decode(errors="replace")
        self._start()
        raise ToolError("the evaluation " + cause_of_death(status, log))
