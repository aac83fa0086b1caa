"""ENACT's questions for ``verifiers``, which imports this module by the id ``enact-env`` and takes
the classes that ``__all__`` names.
"""

from enact_env.taskset import EnactEnv, EnactHarness, EnactTaskset

__all__ = ["EnactEnv", "EnactHarness", "EnactTaskset"]
