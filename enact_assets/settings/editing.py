"""Settings of pictures that an image model repaints."""

from dataclasses import dataclass


@dataclass(frozen=True)
class EditingSettings:
    """An image model that repaints the baseline's pictures, and what a picture must keep.

    A picture that breaks a limit is rejected; after ``tries`` rejected ones the key frame has none.
    Limits: paper B.4.1; ``demonstrations/pictures/fidelity.py`` defines the measures.
    """

    model: str
    prompt: str = ""
    """Prompt that replaces ours. The registry may name a file instead (``prompt_file``)."""
    tries: int = 3
    edge_similarity: float = 0.95
    mask_iou: float = 0.98
    hue_degrees: float = 3.0
    lightness: float = 6.0
    silhouette_px: float = 2.0
