"""A process that asks: URL, ledger, number of questions, id, dollars, requests in flight."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from answers.models.small_questions import messages, model, read_picture

from enact_assets.answers.models.budget import Budget
from enact_assets.answers.models.session import ask

if __name__ == "__main__":
    url, folder, n, asked_id, usd, in_flight = sys.argv[1:]
    answers = ask(
        model(url, asked_id=asked_id, in_flight=int(in_flight)),
        messages(int(n)),
        read_picture,
        Path(folder),
        budget=Budget(Path(folder), float(usd)),
    )
    print(json.dumps({key[0]: answer.text or answer.error for key, answer in answers.items()}))
