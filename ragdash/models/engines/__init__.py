"""Where long work is done: in this process, or on the machines of a Ray cluster. What is done is the same.

The work itself is a `Task` and a list of shards. How it is cut, its batches and its threads belong to the task, never
to the engine or to the number of workers, so that the results are equal bit for bit. Nothing here imports ray before a
cluster is asked for (ragdash.models.engines.ray_engine).
"""

from ragdash.models.engines.opening import ENGINES, open_engine
from ragdash.models.engines.protocols import LOCAL, Engine, LocalEngine, Task, WorkerLost

__all__ = ["ENGINES", "LOCAL", "Engine", "LocalEngine", "Task", "WorkerLost", "open_engine"]
