"""The plans of a report as files of schedules: plans.py REPORT.json PREFIX."""

import json
import sys

report = json.load(open(sys.argv[1]))
plans = report["plans"]["found"]
texts = [plan["schedule"] for plan in plans]
for number, text in enumerate(texts):
    with open(f"{sys.argv[2]}{number}.txt", "w") as file:
        file.write(text + "\n")
sizes = {len(text.split("\n")) for text in texts}
measured = sum("measured_seconds" in plan for plan in plans)
print(
    f"{len(texts)} plans, {len(set(texts))} of them differ, "
    f"all of {'/'.join(map(str, sizes))} schedules, {measured} measured"
)
chosen = [op["found"][0]["schedule"] for op in report["operators"]]
same = "\n".join(chosen) == texts[0]
print("the first is", "that of the operators" if same else f"not {chosen}")
