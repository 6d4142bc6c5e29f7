"""The cases that all clients pass (../README.md): how they are read, and what is checked of an answer."""

from __future__ import annotations

import base64
import json
import os
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import TestCase

from chunksmith import ChunksmithError, Record

SERVER = os.environ["CHUNKSMITH_SERVER"]
PROXY = os.environ["CHUNKSMITH_PROXY"]
Step = dict[str, Any]


def load() -> list[dict[str, Any]]:
    """The cases, with all that is to be repeated written out."""

    def written_out(given: dict[str, Any]) -> Any:
        if isinstance(given.get("times"), int):
            repeat = given["repeat"]
            return repeat * given["times"] if isinstance(repeat, str) else [repeat] * given["times"]
        return given

    path = Path(__file__).parent.parent / "cases.json"
    cases: list[dict[str, Any]] = json.loads(path.read_text("utf-8"), object_hook=written_out)["cases"]
    return cases


def filled(value: Any, saved: dict[str, Any]) -> Any:
    """Puts parts of saved answers where `{"$": "job.id"}` asks for them."""
    if isinstance(value, list):
        return [filled(one, saved) for one in value]
    if not isinstance(value, dict):
        return value
    return at(saved, value["$"]) if "$" in value else {name: filled(one, saved) for name, one in value.items()}


ABSENT = {"$absent": True}


def at(value: Any, path: str) -> Any:
    """What stands at a path such as `0.chunks.1`; the empty path is all of it."""
    for name in path.split(".") if path else ():
        try:
            value = value[int(name) if isinstance(value, list) else name]
        except (KeyError, IndexError):
            return ABSENT
    return value


def plain(answer: Any) -> Any:
    """An answer as the JSON of the service."""
    if isinstance(answer, Record):
        return answer.to_dict()
    return [plain(one) for one in answer] if isinstance(answer, list) else answer


class Proxy:
    """The base URL of one run, whose first requests fail as it says."""

    def __init__(self, run: str, step: Step) -> None:
        self.url = f"{PROXY}/{run}/{step.get('proxy', 'pass')}"

    def seen(self) -> int:
        with urllib.request.urlopen(f"{self.url}/requests-seen") as answer:
            return int(answer.read())


def arguments(step: Step) -> tuple[str, list[Any], dict[str, Any], dict[str, Any]]:
    """The method, what it takes, and the options of the client."""
    positional, named = [*step["args"]], {**step.get("named", {})}
    settings = {**step.get("settings", {})}
    if "items" in step:
        positional.append(iter(step["items"]))
    if "file" in step:
        file = step["file"]
        positional.append(file["text"].encode() if "text" in file else base64.b64decode(file["base64"]))
        named.update(name=file["name"], media_type=file["mediaType"])
    for name, own in {"idempotencyKey": "idempotency_key", "ifMatch": "if_match"}.items():
        if name in settings:
            named[own] = settings.pop(name)
    options: dict[str, Any] = {}
    if "maxRetries" in settings:
        options["max_retries"] = settings.pop("maxRetries")
    if "timeout" in settings:
        options["timeout"] = settings.pop("timeout") / 1000
    assert not settings, f"settings that are not known: {settings}"
    return re.sub("[A-Z]", lambda match: f"_{match[0].lower()}", step["call"]), positional, named, options


def check_answer(test: TestCase, step: Step, answer: Any, headers: dict[str, str]) -> None:
    for path, value in step.get("equal", {}).items():
        test.assertEqual(at(answer, path), value, path)
    for path, length in step.get("length", {}).items():
        test.assertEqual(len(at(answer, path)), length, path)
    for path, pattern in step.get("match", {}).items():
        test.assertRegex(at(answer, path), pattern)
    for name, pattern in step.get("headers", {}).items():
        test.assertRegex(headers[name], pattern)
    for text, chunks in texts_with_chunks(step, answer):
        if step.get("slices"):
            wrong = [one for one in chunks if text[one["start_index"] : one["end_index"]] != one["text"]]
            test.assertEqual(wrong, [])
        if step.get("whole"):
            test.assertTrue("".join(one["text"] for one in chunks) == text, "joined they are the text")


def check_error(test: TestCase, expected: dict[str, Any], error: BaseException | None) -> None:
    if not isinstance(error, ChunksmithError):
        raise error or AssertionError("it did not fail")
    test.assertEqual(error.code, expected["code"])
    test.assertRegex(error.detail, expected["detail"])
    test.assertEqual(str(error), error.detail)
    if "status" in expected:
        test.assertEqual(error.status, expected["status"])
    if "requestId" in expected:
        test.assertEqual(error.request_id is not None, expected["requestId"])


def texts_with_chunks(step: Step, answer: Any) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The texts of the lists of chunks of an answer."""
    named = step.get("named", {})
    if not step.get("slices") and not step.get("whole"):
        return
    if "file" in step:
        yield step["file"]["text"], answer
    elif isinstance(named.get("text"), str):
        yield named["text"], answer
    else:
        texts = named.get("text") or [one.get("text") for one in step.get("items") or named["documents"]]
        for text, one in zip(texts, answer):
            chunks = one.get("chunks") if isinstance(one, dict) else one
            if text is not None and chunks is not None:
                yield text, chunks
