"""Later versions have one folder of data, which must exist when they are imported."""

DATA = {"DATA_PATH": data_folder("DATA_PATH")}
assert os.path.exists(DATA["DATA_PATH"]), f"Data path {DATA['DATA_PATH']} does not exist!"


def data_set():
    return os.path.join(gm.DATA_PATH, "behavior-1k-assets")
