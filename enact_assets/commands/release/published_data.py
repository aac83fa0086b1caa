"""Where the data of ENACT and of BEHAVIOR's challenge is published.

Sources: README.md and scripts/helpers/download_dataset.py of the ENACT release (commit a5c9b51),
the page of BEHAVIOR's 2025 challenge, ``TASK_NAMES_TO_INDICES`` in OmniGibson of BEHAVIOR-1K
(commit 031729c).
"""

import re
from dataclasses import dataclass

from enact_assets.engine.errors import SettingsError, UnknownNameError

ENACT, CHALLENGE, RAWDATA = "enact", "enact-challenge", "behavior-rawdata"


@dataclass(frozen=True)
class PublishedData:
    """A data set on the hub: its repository, which of its files are meant, what they are."""

    name: str
    repository: str
    about: str
    suffix: str
    has_tasks: bool


@dataclass(frozen=True)
class BrowserFile:
    """A file that only a browser gets, and what to do with it then, in commands."""

    file: str
    about: str
    link: str
    commands: tuple[str, ...]


DATA: dict[str, PublishedData] = {
    data.name: data
    for data in (
        PublishedData(
            ENACT,
            "MLL-Lab/ENACT",
            "the 8,972 questions of ENACT with their pictures",
            "QA.zip",
            has_tasks=False,
        ),
        PublishedData(
            CHALLENGE,
            "Inevitablevalor/ENACT-Challenge",
            "questions of the ENACT Challenge (CVPR 2026); those of its test split lack the answer",
            "",
            has_tasks=False,
        ),
        PublishedData(
            RAWDATA,
            "behavior-1k/2025-challenge-rawdata",
            "raw demonstrations of BEHAVIOR's challenge, to be played back in OmniGibson",
            ".hdf5",
            has_tasks=True,
        ),
    )
}

_DRIVE = "https://drive.google.com/file/d/{}/view"
BROWSER_FILES: tuple[BrowserFile, ...] = (
    BrowserFile(
        "replayed_activities.zip",
        "scene graphs and videos",
        _DRIVE.format("19rkSTPZmm2eWfuro8juv3acimELgD-xb"),
        ("enact-assets import replayed_activities.zip",),
    ),
    BrowserFile(
        "segmented_activities.zip",
        "key frames and their pictures",
        _DRIVE.format("1sPS7Lxw-FBPcWJbh7hOaD-22OIet_QrR"),
        ("enact-assets import segmented_activities.zip",),
    ),
    BrowserFile(
        "raw_hdf5.zip",
        "raw demonstrations, to be played back in OmniGibson",
        _DRIVE.format("1B3YTxlV5V7T8UqkY1V4ReF5jkuSu2qrs"),
        ("unzip raw_hdf5.zip", "enact-assets import raw_hdf5/*.hdf5"),
    ),
)
"""Files of ENACT on Google Drive; their sizes are not stated."""

TASKS: tuple[str, ...] = (
    "turning_on_radio",
    "picking_up_trash",
    "putting_away_Halloween_decorations",
    "cleaning_up_plates_and_food",
    "can_meat",
    "setting_mousetraps",
    "hiding_Easter_eggs",
    "picking_up_toys",
    "rearranging_kitchen_furniture",
    "putting_up_Christmas_decorations_inside",
    "set_up_a_coffee_station_in_your_kitchen",
    "putting_dishes_away_after_cleaning",
    "preparing_lunch_box",
    "loading_the_car",
    "carrying_in_groceries",
    "bringing_in_wood",
    "moving_boxes_to_storage",
    "bringing_water",
    "tidying_bedroom",
    "outfit_a_basic_toolbox",
    "sorting_vegetables",
    "collecting_childrens_toys",
    "putting_shoes_on_rack",
    "boxing_books_up_for_storage",
    "storing_food",
    "clearing_food_from_table_into_fridge",
    "assembling_gift_baskets",
    "sorting_household_items",
    "getting_organized_for_work",
    "clean_up_your_desk",
    "setting_the_fire",
    "clean_boxing_gloves",
    "wash_a_baseball_cap",
    "wash_dog_toys",
    "hanging_pictures",
    "attach_a_camera_to_a_tripod",
    "clean_a_patio",
    "clean_a_trumpet",
    "spraying_for_bugs",
    "spraying_fruit_trees",
    "make_microwave_popcorn",
    "cook_cabbage",
    "chop_an_onion",
    "slicing_vegetables",
    "chopping_wood",
    "cook_hot_dogs",
    "cook_bacon",
    "freeze_pies",
    "canning_food",
    "make_pizza",
)
"""Tasks of BEHAVIOR's 2025 challenge by number: folder ``task-0017`` holds ``bringing_water``."""


def folder_of_task(data: PublishedData, task: str) -> str:
    """The folder of ``task``, given by its name or as ``task-0017``.

    Errors: :class:`SettingsError` if the data set is not divided into tasks,
    :class:`UnknownNameError` for a task that BEHAVIOR's challenge does not have.
    """
    if not data.has_tasks:
        raise SettingsError(f"--task: {data.name} is one file with all tasks. Leave it out")
    number = re.fullmatch(r"task-([0-9]{4})", task)
    if number is not None and int(number[1]) < len(TASKS):
        return task
    by_name = {name.lower(): k for k, name in enumerate(TASKS)}
    if task.lower() not in by_name:
        last = f"task-{len(TASKS) - 1:04d}"
        raise UnknownNameError.of("task", task, TASKS, f"Or a folder, task-0000 to {last}.")
    return f"task-{by_name[task.lower()]:04d}"
