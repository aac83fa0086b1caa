"""Taskset, harness and environment, as ``verifiers`` 0.4 wants them."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import httpx2 as httpx
import verifiers.v1 as vf
from verifiers.v1.dialects.chat import message_to_wire
from verifiers.v1.runtimes import ProgramResult

from enact_env.questions import questions_in, verifier


class EnactData(vf.TaskData):
    """What a task carries beside its prompt: enough to verify any order."""

    kind: str
    length: int
    demonstration: str
    answer: list[int]
    fits: str


class EnactTaskConfig(vf.TaskConfig):
    """Where the verifier lies."""

    folder: str = "export"


class EnactTask(vf.Task[EnactData, vf.State, EnactTaskConfig]):
    """One question."""

    @property
    def key(self) -> str:
        """The question's id, by which results can be joined."""
        return str(self.data.id)

    def _earned(self, trace: vf.Trace) -> Any:
        of = self.data
        score = verifier(self.config.folder)
        return score.reward_of(trace.last_reply, of.kind, of.answer, of.fits)

    @vf.reward(weight=1.0)
    async def task(self, trace: vf.Trace) -> float:
        """Whether the order is right."""
        return float(self._earned(trace).task)

    @vf.reward(weight=0.0)
    async def pairs(self, trace: vf.Trace) -> float:
        """The share of right steps, of whole orders alone."""
        return float(self._earned(trace).pairs)

    @vf.reward(weight=0.0)
    async def parsed(self, trace: vf.Trace) -> float:
        """Whether the answer is a list of labels."""
        of, score = self.data, verifier(self.config.folder)
        fits = score.read_fits(of.fits)
        return float(score.score_answer(trace.last_reply, of.kind, of.answer, fits).is_parsed)


class EnactConfig(vf.TasksetConfig):
    """Which questions of which folder."""

    folder: str = "export"
    kinds: list[str] = ["forward", "inverse"]
    lengths: list[int] = []
    most: int | None = None
    task: EnactTaskConfig = EnactTaskConfig()


class EnactTaskset(vf.Taskset[EnactTask, EnactConfig]):
    """The questions of a folder, in its order."""

    def load(self) -> Iterator[EnactTask]:
        """One task a question."""
        wanted, folder = self.config, Path(self.config.folder)
        settings = wanted.task.model_copy(update={"folder": str(folder.resolve())})
        found = (
            question
            for question in questions_in(folder)
            if question.kind in wanted.kinds
            and (not wanted.lengths or question.length in wanted.lengths)
        )
        for question in islice(found, wanted.most):
            data = EnactData(
                id=question.question_id,
                prompt=[vf.UserMessage(content=list(question.blocks))],
                kind=question.kind,
                length=question.length,
                demonstration=question.demonstration,
                answer=question.answer,
                fits=question.fits,
            )
            yield EnactTask(data, settings)


class EnactEnvConfig(vf.EnvConfig):
    """The agent runs on this machine: the default runtime is a rented one and wants a login."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class EnactEnv(vf.Env[EnactEnvConfig]):
    """One agent, one answer."""

    async def run(self, task: EnactTask, agents: Any) -> None:
        """Ask the question."""
        await agents.agent.run(task)


class EnactHarness(vf.Harness[vf.HarnessConfig]):
    """One request from this process: a question and its answer need no tools and no shell, which
    the default harness gives the model.
    """

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: Any,
        trace: Any,
        runtime: Any,
        endpoint: str,
        secret: str,
        mcp_urls: Any,
        data: Any,
        tool_interception_url: str | None = None,
    ) -> ProgramResult:
        """Post the messages to ``endpoint``."""
        system, prompt = self.resolve_prompt(data)
        messages = [{"role": "system", "content": system}] if system else []
        messages += [message_to_wire(message) for message in prompt]
        async with httpx.AsyncClient(timeout=None) as client:
            reply = await client.post(
                f"{endpoint.rstrip('/')}/chat/completions",
                headers={"Authorization": f"Bearer {secret}"},
                json={"model": ctx.model, "messages": messages},
            )
        code = 0 if reply.status_code == httpx.codes.OK else 1
        return ProgramResult(exit_code=code, stdout="", stderr=reply.text[-500:])
